#ifdef _WIN32
__declspec(dllexport)
#endif
unsigned twice(unsigned number)
{
    return number * FACTOR;
}
