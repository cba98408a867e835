# label: long
# The comparisons of the Python package with ale_py, on a sample of the games.
here=$(dirname "$0")
exec bash "$here/run.sh" tests/python --ignore tests/python/test_own.py \
  --ignore tests/python/test_eval.py --ignore tests/python/test_docs.py --ignore tests/python/test_examples.py
