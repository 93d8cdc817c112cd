// Exceptions across modules, in both directions, by value, by base and by pointer to base.
#include "check.h"
#include "part_types.h"

int main() {
    try {
        throw_problem(41);
    } catch (const Problem &problem) {
        printf("caught %s %d\n", problem.what(), problem.code);
    }
    try {
        throw_problem(42);
    } catch (const std::exception &error) {
        printf("as base %s %d\n", error.what(), dynamic_cast<const Problem &>(error).code);
    }
    try {
        throw_pointer();
    } catch (Side *side) {
        printf("as pointer %d\n", side->side);
    }
    printf("in the DLL %d %d %d\n", catch_from([] { throw Problem("to the DLL", 43); }),
           catch_from([] { throw std::logic_error("other"); }), catch_from([] {}));
    // A frame of the DLL between two frames of the program.
    try {
        catch_from([] { throw 44; });
    } catch (int code) {
        printf("through the DLL %d\n", code);
    }
}
