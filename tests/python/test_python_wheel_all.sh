# label: whole
# The wheel as users get it, with optimization: see test_python_wheel.sh.
export SIXER_WHEEL_TYPE=Release
exec bash "$(dirname "$0")/test_python_wheel.sh"
