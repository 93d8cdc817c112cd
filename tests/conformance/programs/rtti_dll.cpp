// Run-time type information across modules: comparison, names, hashes, and dynamic_cast of an object that the DLL made.
#include "check.h"
#include "part_types.h"
#include <typeindex>

int main() {
    const std::type_info *mine[] = {&typeid(int), &typeid(Derived), &typeid(Pair<const wchar_t *>), &typeid(std::string),
                                    &typeid(void (*)(Problem &))};
    int equal = 0, hashes = 0, unequal = 0, addresses = 0;
    for (int row = 0; row < 5; ++row)
        for (int column = 0; column < 5; ++column) {
            const bool same = *mine[row] == type_of(column);
            equal += same && row == column;
            unequal += !same && row != column;
            hashes += row == column && mine[row]->hash_code() == type_of(column).hash_code();
            addresses += row == column && mine[row] == &type_of(column);
        }
    printf("equal %d unequal %d hashes %d shared addresses %d\n", equal, unequal, hashes, addresses);
    printf("%s | %s | %s\n", typeid(Derived).name(), type_of(2).name(), type_of(0).name());
    CHECK(std::type_index(typeid(int)) == std::type_index(type_of(0)) && typeid(int).before(typeid(long)) != typeid(long).before(typeid(int)));
    Base *object = make_derived();
    Side *side = dynamic_cast<Side *>(object);
    CHECK(side && dynamic_cast<void *>(side) == (void *)object && !dynamic_cast<Problem *>(side));
    printf("value %d side %d typeid %d\n", object->value(), side->side, typeid(*object) == typeid(Derived));
    destroy(object);
    try {
        Base base;
        (void)dynamic_cast<Derived &>(base);
    } catch (const std::bad_cast &) {
        puts("bad_cast");
    }
    try {
        Base *volatile none = nullptr;
        (void)typeid(*none).name();
    } catch (const std::bad_typeid &) {
        puts("bad_typeid");
    }
}
