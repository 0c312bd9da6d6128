"""Lists what of the standard library only computes, name by name.

A module is listed with those of its names by which a program changes nothing but its own values.
What stands here for a class holds for its objects, too. Missing are modules that modules import,
and whatever opens, starts, looks up or runs something by what a text says, or sets something for
the whole process.
"""

from __future__ import annotations

import asyncio
import builtins
import pathlib
import re
import types
from collections import abc
from functools import lru_cache
from importlib import import_module
from types import FunctionType, ModuleType

from msgspec import Struct

_LISTED = """
__future__: annotations division generator_stop print_function unicode_literals
abc: ABC ABCMeta abstractmethod
array: ArrayType array typecodes
ast: AST Add And Assign Attribute BinOp BoolOp Call Compare Constant Dict Div Eq Expr Expression
  FloorDiv Gt GtE In Invert Is IsNot List Load Lt LtE Mod Module Mult Name NodeTransformer
  NodeVisitor Not NotEq NotIn Or Pow Set Starred Store Sub Subscript Tuple UAdd USub UnaryOp dump
  expr iter_child_nodes literal_eval parse stmt unparse walk
asyncio: ALL_COMPLETED Barrier BoundedSemaphore BrokenBarrierError CancelledError Condition Event
  FIRST_COMPLETED FIRST_EXCEPTION Future IncompleteReadError InvalidStateError LifoQueue
  LimitOverrunError Lock PriorityQueue Queue QueueEmpty QueueFull QueueShutDown Semaphore Task
  TaskGroup Timeout TimeoutError as_completed create_task current_task ensure_future gather isfuture
  iscoroutine iscoroutinefunction run shield sleep timeout timeout_at to_thread wait wait_for
base64: a85decode a85encode b16decode b16encode b32decode b32encode b32hexdecode b32hexencode
  b64decode b64encode b85decode b85encode decodebytes encodebytes standard_b64decode
  standard_b64encode urlsafe_b64decode urlsafe_b64encode z85decode z85encode
binascii: Error Incomplete a2b_base64 a2b_hex a2b_qp a2b_uu b2a_base64 b2a_hex b2a_qp b2a_uu crc32
  crc_hqx hexlify unhexlify
bisect: bisect bisect_left bisect_right insort insort_left insort_right
calendar: APRIL AUGUST Calendar DECEMBER Day FEBRUARY FRIDAY HTMLCalendar IllegalMonthError
  IllegalWeekdayError JANUARY JULY JUNE MARCH MAY MONDAY Month NOVEMBER OCTOBER SATURDAY SEPTEMBER
  SUNDAY THURSDAY TUESDAY TextCalendar WEDNESDAY calendar day_abbr day_name firstweekday isleap
  leapdays month month_abbr month_name monthcalendar monthrange timegm weekday weekheader
cmath: acos acosh asin asinh atan atanh cos cosh e exp inf infj isclose isfinite isinf isnan log
  log10 nan nanj phase pi polar rect sin sinh sqrt tan tanh tau
collections: ChainMap Counter OrderedDict UserDict UserList UserString defaultdict deque namedtuple
collections.abc: AsyncGenerator AsyncIterable AsyncIterator Awaitable Buffer ByteString Callable
  Collection Container Coroutine Generator Hashable ItemsView Iterable Iterator KeysView Mapping
  MappingView MutableMapping MutableSequence MutableSet Reversible Sequence Set Sized ValuesView
colorsys: hls_to_rgb hsv_to_rgb rgb_to_hls rgb_to_hsv rgb_to_yiq yiq_to_rgb
concurrent.futures: ALL_COMPLETED CancelledError Executor FIRST_COMPLETED FIRST_EXCEPTION Future
  InvalidStateError ThreadPoolExecutor TimeoutError as_completed wait
contextlib: AbstractAsyncContextManager AbstractContextManager AsyncContextDecorator AsyncExitStack
  ContextDecorator ExitStack aclosing asynccontextmanager closing contextmanager nullcontext
  suppress
contextvars: Context ContextVar Token copy_context
copy: Error copy deepcopy replace
csv: Dialect DictReader DictWriter Error QUOTE_ALL QUOTE_MINIMAL QUOTE_NONE QUOTE_NONNUMERIC
  QUOTE_NOTNULL QUOTE_STRINGS Sniffer excel excel_tab reader unix_dialect writer
dataclasses: Field FrozenInstanceError InitVar KW_ONLY MISSING asdict astuple dataclass field fields
  is_dataclass replace
datetime: MAXYEAR MINYEAR UTC date datetime time timedelta timezone tzinfo
decimal: Clamped Context Decimal DecimalException DecimalTuple DivisionByZero FloatOperation Inexact
  InvalidOperation MAX_EMAX MAX_PREC MIN_EMIN MIN_ETINY Overflow ROUND_05UP ROUND_CEILING ROUND_DOWN
  ROUND_FLOOR ROUND_HALF_DOWN ROUND_HALF_EVEN ROUND_HALF_UP ROUND_UP Rounded Subnormal Underflow
  localcontext
difflib: Differ IS_CHARACTER_JUNK IS_LINE_JUNK Match SequenceMatcher context_diff diff_bytes
  get_close_matches ndiff restore unified_diff
enum: CONFORM CONTINUOUS EJECT Enum EnumCheck EnumMeta EnumType Flag FlagBoundary IntEnum IntFlag
  KEEP NAMED_FLAGS ReprEnum STRICT StrEnum UNIQUE auto member nonmember property unique verify
errno: E2BIG EACCES EAGAIN EBADF EBUSY ECHILD ECONNREFUSED ECONNRESET EEXIST EINTR EINVAL EIO EISDIR
  ENAMETOOLONG ENOENT ENOMEM ENOSPC ENOSYS ENOTDIR ENOTEMPTY EPERM EPIPE ETIMEDOUT errorcode
fnmatch: filter filterfalse fnmatch fnmatchcase translate
fractions: Fraction
functools: Placeholder WRAPPER_ASSIGNMENTS WRAPPER_UPDATES cache cached_property cmp_to_key
  lru_cache partial partialmethod reduce total_ordering wraps
graphlib: CycleError TopologicalSorter
gzip: BadGzipFile compress decompress
hashlib: algorithms_available algorithms_guaranteed blake2b blake2s md5 new pbkdf2_hmac scrypt sha1
  sha224 sha256 sha384 sha3_224 sha3_256 sha3_384 sha3_512 sha512 shake_128 shake_256
heapq: heapify heapify_max heappop heappop_max heappush heappush_max heappushpop heappushpop_max
  heapreplace heapreplace_max merge nlargest nsmallest
hmac: HMAC compare_digest digest new
html: escape unescape
http: HTTPMethod HTTPStatus
inspect: isabstract isasyncgen isasyncgenfunction isawaitable isbuiltin isclass iscoroutine
  iscoroutinefunction isfunction isgenerator isgeneratorfunction ismethod isroutine
io: BytesIO SEEK_CUR SEEK_END SEEK_SET StringIO UnsupportedOperation
ipaddress: AddressValueError IPv4Address IPv4Interface IPv4Network IPv6Address IPv6Interface
  IPv6Network NetmaskValueError collapse_addresses get_mixed_type_key ip_address ip_interface
  ip_network summarize_address_range v4_int_to_packed v6_int_to_packed
itertools: accumulate batched chain combinations combinations_with_replacement compress count cycle
  dropwhile filterfalse groupby islice pairwise permutations product repeat starmap takewhile tee
  zip_longest
json: JSONDecodeError JSONDecoder JSONEncoder dump dumps load loads
keyword: iskeyword issoftkeyword kwlist softkwlist
logging: CRITICAL DEBUG ERROR INFO WARNING getLogger
math: acos acosh asin asinh atan atan2 atanh cbrt ceil comb copysign cos cosh degrees dist e erf
  erfc exp exp2 expm1 fabs factorial floor fma fmod frexp fsum gamma gcd hypot inf isclose isfinite
  isinf isnan isnormal isqrt issubnormal lcm ldexp lgamma log log10 log1p log2 modf nan nextafter
  perm pi pow prod radians remainder sin sinh sqrt sumprod tan tanh tau trunc ulp
numbers: Complex Integral Number Rational Real
operator: abs add and_ attrgetter concat contains countOf delitem eq floordiv ge getitem gt iadd
  iand iconcat ifloordiv ilshift imatmul imod imul index indexOf inv invert ior ipow irshift is_
  is_none is_not is_not_none isub itemgetter itruediv ixor le length_hint lshift lt matmul mod mul
  ne neg not_ or_ pos pow rshift setitem sub truediv truth xor
os: PathLike altsep curdir extsep fspath linesep pardir pathsep sep
os.path: abspath basename commonpath commonprefix dirname isabs join normcase normpath relpath sep
  split splitdrive splitext
pathlib: PurePath PurePosixPath PureWindowsPath
pprint: PrettyPrinter isreadable isrecursive pformat pp pprint saferepr
queue: Empty Full LifoQueue PriorityQueue Queue ShutDown SimpleQueue
random: Random SystemRandom betavariate binomialvariate choice choices expovariate gammavariate
  gauss getrandbits getstate lognormvariate normalvariate paretovariate randbytes randint random
  randrange sample shuffle triangular uniform vonmisesvariate weibullvariate
re: A ASCII DOTALL I IGNORECASE L LOCALE M MULTILINE Match NOFLAG Pattern PatternError RegexFlag S U
  UNICODE VERBOSE X compile error escape findall finditer fullmatch match search split sub subn
reprlib: Repr recursive_repr repr
secrets: SystemRandom choice compare_digest randbelow randbits token_bytes token_hex token_urlsafe
shlex: join quote split
statistics: NormalDist StatisticsError correlation covariance fmean geometric_mean harmonic_mean kde
  linear_regression mean median median_grouped median_high median_low mode multimode pstdev
  pvariance quantiles stdev variance
string: Template ascii_letters ascii_lowercase ascii_uppercase capwords digits hexdigits octdigits
  printable punctuation whitespace
struct: Struct calcsize error iter_unpack pack pack_into unpack unpack_from
sys: byteorder float_info getsizeof hash_info int_info intern maxsize maxunicode version_info
textwrap: TextWrapper dedent fill indent shorten wrap
threading: Barrier BoundedSemaphore BrokenBarrierError Condition Event Lock RLock Semaphore
  TIMEOUT_MAX Thread ThreadError get_ident get_native_id local
time: altzone asctime ctime daylight gmtime localtime mktime monotonic monotonic_ns perf_counter
  perf_counter_ns process_time process_time_ns sleep strftime strptime struct_time thread_time
  thread_time_ns time time_ns timezone tzname
tomllib: TOMLDecodeError loads
types: AsyncGeneratorType BuiltinFunctionType CoroutineType EllipsisType FunctionType GeneratorType
  GenericAlias LambdaType MappingProxyType MethodType NoneType NotImplementedType SimpleNamespace
  TracebackType UnionType
typing: AbstractSet Annotated Any AnyStr AsyncContextManager AsyncGenerator AsyncIterable
  AsyncIterator Awaitable BinaryIO ByteString Callable ChainMap ClassVar Collection Concatenate
  Container ContextManager Coroutine Counter DefaultDict Deque Dict Final FrozenSet Generator
  Generic Hashable IO ItemsView Iterable Iterator KeysView List Literal LiteralString Mapping
  MappingView Match MutableMapping MutableSequence MutableSet NamedTuple Never NewType NoReturn
  NotRequired Optional OrderedDict ParamSpec ParamSpecArgs ParamSpecKwargs Pattern Protocol ReadOnly
  Required Reversible Self Sequence Set Sized SupportsAbs SupportsBytes SupportsComplex
  SupportsFloat SupportsIndex SupportsInt SupportsRound TYPE_CHECKING Text TextIO Tuple Type
  TypeAlias TypeAliasType TypeGuard TypeIs TypeVar TypeVarTuple TypedDict Union Unpack ValuesView
  assert_never assert_type cast final get_args get_origin is_typeddict no_type_check overload
  override runtime_checkable
unicodedata: bidirectional category combining decimal decomposition digit east_asian_width
  is_normalized lookup mirrored name normalize numeric ucd_3_2_0 unidata_version
urllib.parse: DefragResult DefragResultBytes ParseResult ParseResultBytes SplitResult
  SplitResultBytes parse_qs parse_qsl quote quote_from_bytes quote_plus unquote unquote_plus
  unquote_to_bytes urldefrag urlencode urljoin urlparse urlsplit urlunparse urlunsplit
uuid: NAMESPACE_DNS NAMESPACE_OID NAMESPACE_URL NAMESPACE_X500 SafeUUID UUID uuid3 uuid4 uuid5
warnings: warn
weakref: ReferenceType WeakKeyDictionary WeakMethod WeakSet WeakValueDictionary proxy ref
zlib: DEFLATED MAX_WBITS adler32 compress compressobj crc32 decompress decompressobj error
zoneinfo: ZoneInfo ZoneInfoNotFoundError available_timezones
"""


def names_listed(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


def _read(listed: str) -> dict[str, frozenset[str]]:
    rows = (row.partition(":") for row in listed.replace("\n  ", " ").split("\n") if row)
    return {module: names_listed(names) for module, _, names in rows}


HARMLESS = _read(_LISTED)
HARMLESS["typing_extensions"] = HARMLESS["typing"]
HARMLESS["ntpath"] = HARMLESS["posixpath"] = HARMLESS["os.path"]


def is_harmless(name: str) -> bool:
    """Whether a dotted name is listed, or belongs to something that is and is not private.

    A module that is listed may be imported; to hand it on is another matter.
    """
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        names = HARMLESS.get(".".join(parts[:length]))
        if names is not None:
            rest = parts[length:]
            return not rest or (rest[0] in names and attributes().data.issuperset(rest[1:]))
    return False


def is_private(attribute: str) -> bool:
    return attribute.startswith("_")


def is_dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


# Modules whose objects are code, or make code, rather than data.
_OF_CODE = ("__future__", "abc", "inspect", "types", "typing", "typing_extensions")
_OF_RUNNING = (
    *(types.CodeType, types.FrameType, types.TracebackType),
    *(types.AsyncGeneratorType, types.CoroutineType, types.GeneratorType),
)
_CLASS_METHODS = (classmethod, staticmethod, types.ClassMethodDescriptorType)
# Ways from data to attributes that a text names, to event loops, and, in Pythons that may not be
# this one, to a module and to what is evaluated.
_ESCAPES = names_listed("""
evaluate evaluate_bound evaluate_constraints evaluate_default evaluate_value format format_map
get_coro get_loop get_stack parser print_stack
""")
# What makers of values have that no class shows: `functools.lru_cache`, `logging`, `zlib`, `csv`.
_UNSEEN = names_listed("""
cache_clear cache_info cache_parameters critical debug error exception flush info isEnabledFor log
unused_data warning writerow writerows
""")
_READ_ONLY: tuple[type, ...] = (
    abc.Mapping,
    abc.Sequence,
    abc.Set,
    abc.ItemsView,
    abc.ValuesView,
    re.Match,
)
_READING = names_listed("""
copy critical debug elements error exception info isEnabledFor log most_common total warning
""")


class AttributeNames(Struct, frozen=True):
    """The names of attributes by what having them means, as built-in and listed classes show.

    `data` lead to data alone, and of these `changing` are methods that may change what has them;
    `within` are those of containers. `ways_out` lead from an object to code, modules or files, and
    `of_paths` to files: no class of a candidate makes these harmless. `immutable` are classes.
    """

    data: frozenset[str]
    changing: frozenset[str]
    within: frozenset[str]
    ways_out: frozenset[str]
    of_paths: frozenset[str]
    immutable: frozenset[str]


# Some of the modules are slow to import, and few checks have anything to offer.
@lru_cache(maxsize=1)
def attributes() -> AttributeNames:
    named = vars(builtins).items()
    every = [_kind(value) for name, value in named if not is_private(name)]
    for module, names in HARMLESS.items():
        if module not in _OF_CODE:
            found = _imported(module)
            every += [_kind(getattr(found, name)) for name in names if hasattr(found, name)]
    kinds = list(filter(_is_of_data, dict.fromkeys(every)))
    fixed = [each for each in kinds if _has_value(each)]
    running = frozenset[str]().union(*map(_public, _OF_RUNNING))
    out = _ESCAPES.union(each for each in running if "_" in each)
    data = _UNSEEN.union(*map(_public, kinds)) - out
    methods = frozenset[str]().union(*map(_methods, kinds))
    reading = _READING.union(*map(_public, [*fixed, *_READ_ONLY]))
    loops, paths = map(_public, (asyncio.AbstractEventLoop, pathlib.Path))
    return AttributeNames(
        data,
        data & (methods | _UNSEEN) - reading,
        frozenset[str]().union(*(_public(each) for each in kinds if each.__hash__ is None)),
        out | (loops - data),
        paths - data,
        frozenset(each.__name__ for each in fixed) | {"compile"},
    )


def _imported(module: str) -> ModuleType | None:
    try:
        return import_module(module)
    except ImportError:  # of another Python, or of another system
        return None


def _kind(value: object) -> type:
    kind: type = type(value)
    return value if isinstance(value, type) else kind


def _is_of_data(kind: type) -> bool:
    return not issubclass(kind, type | ModuleType)


def _has_value(kind: type) -> bool:
    """Whether objects of a class are equal by what they hold for good, like texts and dates."""
    hashing = kind.__hash__ not in (None, object.__hash__)
    return hashing and kind.__eq__ is not object.__eq__


def _methods(kind: type) -> frozenset[str]:
    members = {name: value for each in reversed(kind.__mro__) for name, value in vars(each).items()}
    return frozenset(
        name
        for name, value in members.items()
        if callable(value) and not isinstance(value, _CLASS_METHODS)
    )


def _public(kind: type) -> frozenset[str]:
    """The public attributes of a class and its objects, but for those that are modules."""
    found = {name: value for each in reversed(kind.__mro__) for name, value in vars(each).items()}
    made = found.get("__init__")
    stored = made.__code__.co_names if isinstance(made, FunctionType) else ()
    names = {name for name, value in found.items() if not isinstance(value, ModuleType)}
    return frozenset(each for each in names.union(stored) if not is_private(each))
