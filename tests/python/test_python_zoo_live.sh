# label: long, 30 s
# sixer.zoo beside PettingZoo on multi-agent-ale-py, a sample of the environments.
here=$(dirname "$0")
exec bash "$here/run.sh" tests/python/test_zoo_live.py
