# label: slow
# All Python tests: every comparison with ale_py, all games and ids, a million steps.
here=$(dirname "$0")
exec bash "$here/python/run.sh" --slow tests/python
