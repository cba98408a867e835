# label: long, 20 s
# The Python package as the build has put it together: hostile callers, and the examples.
here=$(dirname "$0")
exec bash "$here/run.sh" tests/python/test_hostile.py tests/python/test_examples.py
