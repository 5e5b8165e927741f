// Actions with arguments that people and SQL can read.
#pragma once

#include "chain/json/model.hpp"
#include "chain/rows/copy_binary.hpp"

namespace receiptd::chain {

// Writes the actions' JSON verbatim as one field, but each FunctionCall's `"args":"<base64>"`
// becomes `"args_json":<the decoded text, verbatim>` where the decoded bytes are JSON without the
// escapes \u0000 and \ud800 … \udfff; arguments that are not stay as they came. The FunctionCalls
// inside a Delegate action too. Other escapes that PostgreSQL cannot take apart are written as
// queryable_json() has them. NULL if `json` is broken where the decoder did not look: it must
// not make PostgreSQL refuse the block. `actions` were decoded from `json` and point into it.
// True: escapes were written as others.
bool write_actions(CopyWriter& row, Text json, const List<Action>& actions);

}  // namespace receiptd::chain
