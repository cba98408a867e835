# label: whole
# All Python tests: all games and ids, a million steps, ten thousand environments.
here=$(dirname "$0")
exec bash "$here/run.sh" --whole tests/python
