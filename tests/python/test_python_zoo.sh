# sixer.zoo: golden digests of the 24 environments, PettingZoo's own tests, options and errors.
here=$(dirname "$0")
exec bash "$here/run.sh" tests/python/test_zoo.py
