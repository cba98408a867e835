# The Python package as the build has put it together: our own interface, the examples, and a sample of the comparisons
# with ale_py. The whole suite is test_python_all.sh.
here=$(dirname "$0")
exec bash "$here/python/run.sh" tests/python/test_own.py tests/python/test_examples.py \
  "tests/python/test_interface.py::test_runs" "tests/python/test_env.py::test_options" \
  "tests/python/test_env.py::test_ids" "tests/python/test_vector_env.py::test_options" \
  "tests/python/test_states.py"
