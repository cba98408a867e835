# label: slow
# All Python tests: all games and ids, a million steps, ten thousand environments.
here=$(dirname "$0")
exec bash "$here/python/run.sh" --slow tests/python
