"""Teaches setuptools the target: where its headers are, which compilers make code for it, and where its modules find libraries.

setuptools takes tags and suffixes from `sysconfig`, which is taught in target_facts. What is left are compilers for Windows, for which
it looks in the registry of a Windows machine, and the folders that a Linux module searches.

Keys of the facts that are read here:
  include        the folder of the target's `Python.h`
  library_dirs   folders that are searched when linking
  windows        whether the target is Windows
  carried        the folder in the wheel of the libraries that it brings along, or nothing
"""

import os

# Before anything of distutils: setuptools puts its own in the place of the one that Python had.
import setuptools  # noqa: F401
from distutils import sysconfig
from distutils.command import build_ext
from distutils.compilers.C import msvc


class ClangCl(msvc.Compiler):
    """clang-cl and lld-link as setuptools drives Microsoft's compiler. They find system headers and libraries by themselves."""

    description = "clang-cl with lld-link"

    def initialize(self, plat_name=None):
        if self.initialized:
            return
        self.include_dirs, self.library_dirs = list(self.include_dirs), list(self.library_dirs)
        self._paths = os.environ["PATH"]
        self.cc, self.linker, self.lib, self.rc, self.mt = "clang-cl", "lld-link", "llvm-lib", "llvm-rc", "llvm-mt"
        # There is no compiler of message files, and who needs one is told so by name.
        self.mc = "mc"
        self.preprocess_options = None
        # Whole-program options of Microsoft's compiler (/GL, /LTCG) mean nothing to clang.
        self.compile_options = ["/nologo", "/O2", "/W3", "/DNDEBUG", "/MD", "/Gy", "/Gw"]
        self.compile_options_debug = self.compile_options
        shared = ["/nologo", "/DLL", "/MANIFEST:NO", "/OPT:REF", "/OPT:ICF"]
        program = ["/nologo", "/MANIFEST:NO", "/OPT:REF", "/OPT:ICF"]
        self._ldflags = {}
        for debug in (None, False, True):
            self._ldflags[self.EXECUTABLE, debug] = program
            self._ldflags[self.SHARED_OBJECT, debug] = shared
            self._ldflags[self.SHARED_LIBRARY, debug] = shared
        self.initialized = True


def origin(module, carried):
    """Where a module's own loader finds the folder of carried libraries, seen from the module."""
    package = os.path.dirname(module.replace(".", "/"))
    return os.path.join("$ORIGIN", os.path.relpath(carried, package or "."))


def apply(facts):
    """Has setuptools build for the target."""
    sysconfig.get_python_inc = lambda plat_specific=False, prefix=None: facts["include"]
    command = build_ext.build_ext
    finalize, build = command.finalize_options, command.build_extension

    def finalize_options(self):
        finalize(self)
        self.library_dirs.extend(facts["library_dirs"])

    def build_extension(self, ext):
        if facts["carried"] and not facts["windows"]:
            ext.extra_link_args = [*ext.extra_link_args, f"-Wl,-rpath,{origin(self.get_ext_fullname(ext.name), facts['carried'])}"]
        build(self, ext)

    command.finalize_options, command.build_extension = finalize_options, build_extension
    if facts["windows"]:
        new_compiler = build_ext.new_compiler

        def compiler(plat=None, compiler=None, verbose=False, force=False, **more):
            if compiler not in (None, "msvc"):
                return new_compiler(plat, compiler, verbose=verbose, force=force, **more)
            return ClangCl(verbose=verbose, force=force)

        for module in (build_ext, __import__("distutils.ccompiler", fromlist=["ccompiler"])):
            module.new_compiler = compiler
