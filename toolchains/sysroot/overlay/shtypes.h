/* Wine has the types of absolute and child lists of item identifiers, and of relative ones only the constant one. */
#pragma once
#include_next <shtypes.h>
typedef LPITEMIDLIST PIDLIST_RELATIVE;
typedef LPCITEMIDLIST PCIDLIST_RELATIVE;
typedef LPITEMIDLIST PUIDLIST_RELATIVE;
typedef LPITEMIDLIST PUITEMID_CHILD;
typedef const PITEMID_CHILD *PCITEMID_CHILD_ARRAY;
