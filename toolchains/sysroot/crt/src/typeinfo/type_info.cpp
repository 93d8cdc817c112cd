// The virtual table of `type_info`, to which every type descriptor that the compiler emits points (`??_7type_info@@6B@`).
//
// The C++ library compares and names types through functions of its own; this class exists for its table and destructor alone.
// Source: clang, CodeGen/MicrosoftCXXABI.cpp (getTypeDescriptor).
typedef decltype(sizeof 0) size_t;
extern "C" void __cdecl free(void *block);
inline void *operator new(size_t, void *place) noexcept { return place; }

class type_info {
public:
    type_info() noexcept {}
    virtual ~type_info() noexcept;
    // Keeps the table free of the global operator, which is the C++ library's.
    void operator delete(void *block) noexcept { free(block); }

private:
    [[maybe_unused]] void *undecorated_name = nullptr;
    [[maybe_unused]] char decorated_name[1] = {0};
};

type_info::~type_info() noexcept {}

// The table is emitted where an object is made, and nothing else in the library makes one.
__attribute__((used)) static void emit_table(void *place) { new (place) type_info; }
