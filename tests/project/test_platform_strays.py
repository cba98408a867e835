"""Nothing in src/ and python/src/ but src/util/os* and the encoders of the translator asks which platform it is on.

A stray is a line that includes a header which only some systems have, tests a macro of a system or a processor, or
calls a function whose meaning or name differs between systems: what src/util/os.h and its companions are for."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ALLOWED = re.compile(r"^src/(util/os(_[a-z]+)*\.[ch]|machine/jit_(x86|arm64|wasm)[a-z_]*\.[ch])$")

HEADERS = re.compile(
    r"#\s*include\s*<(unistd|fcntl|dirent|poll|glob|spawn|sched|termios|netdb|io|direct|process|malloc|windows|winsock2"
    r"|libgen|pwd|dlfcn|strings|sys/\w+|netinet/\w+|arpa/\w+|mach[\w/-]*)\.h>"
)
MACROS = re.compile(
    r"\b(_WIN32|_WIN64|__MINGW\w+|_MSC_VER|__linux__|__linux|__gnu_linux__|__APPLE__|__MACH__|__unix__|__FreeBSD__"
    r"|__EMSCRIPTEN__|__GLIBC__|__x86_64__|__amd64__|__i386__|__aarch64__|__arm64__|__riscv|__s390x__|__SSE\w*__"
    r"|__builtin_cpu_supports|program_invocation_name|_SC_\w+|SIG(PIPE|XFSZ|HUP|TSTP|KILL|CHLD)|PATH_MAX)\b"
)
CALLS = re.compile(
    r"(?<![\w.>])(fopen|freopen|tmpfile|open|close|read|write|pread|pwrite|lseek|ftruncate|fsync|flock|dup2?"
    r"|pipe2?|stat|lstat|fstat|access|mkdir|rmdir|unlink|rename|remove|link|symlink|readlink|realpath|opendir"
    r"|readdir|closedir|scandir|glob|mkstemp|mkdtemp|getline|open_memstream|strndup|strsep|explicit_bzero"
    r"|getenv|setenv|unsetenv|clock_gettime|nanosleep|usleep|sleep|gmtime_r|localtime_r|getpid|getppid"
    r"|kill|fork|vfork|exec[lv]p?e?|waitpid|popen|posix_spawnp?|sigaction|signal|isatty|ioctl|tcgetattr"
    r"|tcsetattr|poll|select|socket|connect|bind|listen|accept|send|recv|shutdown|setsockopt|getaddrinfo"
    r"|gethostname|uname|sysconf|getrandom|getrlimit|getrusage|mmap|munmap|mprotect|madvise|aligned_alloc"
    r"|posix_memalign|gzopen|sched_\w+|pthread_create"
    # errors in the last bit, and the order of equals, differ: src/util/real.h, rounded.h and sort.h have our own
    r"|exp|exp2|expm1|log|log2|log10|log1p|pow|cbrt|hypot|sin|cos|tan|asin|acos|atan2?|sinh|cosh|tanh|erfc?|[lt]gamma"
    r"|expf|logf|powf|sinf|cosf|tanhf|qsort)\("
)


def without_comments_and_texts(text: str) -> str:
    """The same lines, with comments and the insides of literals blanked."""
    pattern = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
    return pattern.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)


def declares(line: str, name: str) -> bool:
    """Is this the definition of a static function of ours with such a name?"""
    return re.search(r"\bstatic\b.*\b" + name + r"\(", line) is not None


def strays(name: str, text: str) -> list[str]:
    code = without_comments_and_texts(text)
    own = set(re.findall(r"\bstatic\b[^;{()]*?\b(\w+)\(", code))
    found = []
    for number, (line, raw) in enumerate(zip(code.split("\n"), text.split("\n"), strict=True), 1):
        header = HEADERS.search(raw) if line.lstrip().startswith("#") else None
        macro = MACROS.search(line)
        call = next((c for c in CALLS.finditer(line) if c[1] not in own), None)
        what = header or macro or call
        if what:
            found.append(f"{name}:{number}: {what[0]}")
    return found


def check_itself() -> None:
    """The test can fail: each kind of stray is found, and ordinary code is not one."""
    bad = ["#include <unistd.h>", "#ifdef _WIN32", '  FILE *f = fopen("x", "r");', "#if defined(__aarch64__)"]
    bad += ["  y = pow(x, 2);", "  qsort(list, n, size, compare);"]
    good = ["  s->read(s, 1);", "/* as fopen() does */", '  say("getenv(x)");', "  os_fopen(path, mode);"]
    good += ["  y = real_exp(x);", "  y = s.log(1);"]
    assert all(strays("x", line) for line in bad), bad
    assert not any(strays("x", line) for line in good), good
    assert not strays("x", "static void bind(int a) {}\nvoid f(void) { bind(1); }")


def main() -> int:
    check_itself()
    found, looked = [], 0
    for folder in ("src", "python/src"):
        for path in sorted((ROOT / folder).rglob("*.[ch]")):
            name = path.relative_to(ROOT).as_posix()
            if ALLOWED.match(name):
                continue
            looked += 1
            found += strays(name, path.read_text())
    assert looked > 250, f"only {looked} files were found"
    for line in found:
        print(line)
    print(f"{looked} files, {len(found)} lines that depend on a platform")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
