//! Host side of every target: the targets, their compilers, system roots and runners. It builds no component.
