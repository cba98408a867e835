# label: long, 100 s
# The comparisons of the Python package with ale_py, on a sample of the games. Files that another test_python_*.sh runs
# are left out.
here=$(dirname "$0")
others=()
while read -r file; do
  others+=(--ignore "$file")
done < <(cat "$here"/test_python{,_eval,_more,_recorder,_zoo,_zoo_live}.sh | grep -o 'tests/python/test_[a-z_]*\.py')
exec bash "$here/run.sh" tests/python "${others[@]}"
