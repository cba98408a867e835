# sixer.make under a protocol, the rows of sixer.record, and models of small sets of games.
here=$(dirname "$0")
exec bash "$here/run.sh" tests/python/test_recorder.py tests/python/test_subsets.py tests/python/test_inter_algorithm.py
