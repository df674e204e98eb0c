# Fails with a diff when dialects/STATEMENTS.md is not what PROGRAM writes.
execute_process(COMMAND "${PROGRAM}" OUTPUT_FILE "${WRITTEN}"
  RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "${PROGRAM} failed: ${failed}")
endif()
execute_process(COMMAND diff -u "${DOCUMENT}" "${WRITTEN}"
  RESULT_VARIABLE differs)
if(differs)
  message(FATAL_ERROR "STATEMENTS.md is out of date (lines with + are right). "
    "Write it anew: ${PROGRAM} > ${DOCUMENT}")
endif()
