/* Evaluation for Python: the module with the functions of sixer/eval.h, which sixer.eval wraps. */
#include "eval_args.h"

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "sixer._sixer.evaluation",
    .m_doc = "The functions of sixer/eval.h, for sixer.eval.",
    .m_size = 0,
};

PyObject *ext_evaluation(void) {
  PyObject *module = PyModule_Create(&definition);
  if (module && (PyModule_AddFunctions(module, eval_statistics_functions) < 0 ||
                 PyModule_AddFunctions(module, eval_subset_functions) < 0 ||
                 PyModule_AddFunctions(module, eval_source_functions) < 0 ||
                 PyModule_AddFunctions(module, eval_result_functions) < 0 ||
                 PyModule_AddFunctions(module, eval_curve_functions) < 0))
    Py_CLEAR(module);
  return module;
}
