/* Absent in Wine: the one header of WMI's interfaces. */
#pragma once
#include <wbemcli.h>
#include <wbemprov.h>
