# The Python package as the build has put it together: our own interface, its messages and tapes, several
# players.
here=$(dirname "$0")
exec bash "$here/run.sh" tests/python/test_own.py tests/python/test_messages.py tests/python/test_tape.py \
  tests/python/test_multi.py
