// The list of undecorated type names that the runtime keeps for a module, and its release when the module goes.
//
// `__std_type_info_name` (behind `type_info::name` of Microsoft's library) hangs its allocations on the list head it is given.
#include "../crt.h"

void __cdecl __std_type_info_destroy_list(SLIST_HEADER *list);

SLIST_HEADER __type_info_root_node;

static void __cdecl destroy_names(void) { __std_type_info_destroy_list(&__type_info_root_node); }

// Last of the terminators, since any of the others may still ask for a name.
CRT_SECTION(".CRT$XTY") static const crt_procedure terminator = destroy_names;
