// The notify hook of a program that brings none. A user's own definition keeps this member out of the link.
#include "delay.h"

const PfnDliHook __pfnDliNotifyHook2 = NULL;
