// A DLL that makes, types and throws what its user must recognise.
#include "part_types.h"

Base *make_derived() { return new Derived; }
void destroy(Base *object) { delete object; }
const std::type_info &type_of(int which) {
    switch (which) {
    case 0: return typeid(int);
    case 1: return typeid(Derived);
    case 2: return typeid(Pair<const wchar_t *>);
    case 3: return typeid(std::string);
    default: return typeid(void (*)(Problem &));
    }
}
void throw_problem(int code) { throw Problem("from the DLL", code); }
void throw_pointer() {
    static Derived object;
    throw static_cast<Derived *>(&object);
}
int catch_from(void (*callback)()) {
    try {
        callback();
    } catch (const Problem &problem) {
        return problem.code;
    } catch (const std::exception &) {
        return -1;
    }
    return 0;
}
