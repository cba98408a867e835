# label: long, 20 s
# sixer.eval: the figures of the program, of rliable and of SciPy, on NumPy arrays.
here=$(dirname "$0")
exec bash "$here/run.sh" tests/python/test_eval.py tests/python/test_curves.py \
  tests/python/test_results.py tests/python/test_docs.py
