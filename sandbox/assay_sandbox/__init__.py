"""Runs programs that nobody has read, confined, and reports what they did.

Usable without the engine::

    with Sandbox() as sandbox:
        program = Program("def f(x):\\n    return x + 1\\n", entry="f")
        (observation,) = sandbox.run(program, [Call((1,))])

`run` never raises for anything a program does: that is an `Observation`. It raises a
`SandboxError` for the machine's state, which is not the program's doing: `SandboxUnavailable` if
there is no confinement, `InterpreterUnusable`, and `WorkerLost` if no process can be started.
"""

from .decoding import decode
from .encoding import encode
from .errors import (
    CHOOSE_INTERPRETER,
    InterpreterUnusable,
    NothingHolds,
    ProtocolError,
    SandboxError,
    SandboxUnavailable,
    WorkerLost,
)
from .measuring import Covered, Timed
from .observations import (
    Crashed,
    Encoded,
    LoadFailed,
    Observation,
    OutOfMemory,
    OutputExceeded,
    Raised,
    Refused,
    Returned,
    TimedOut,
    Unserialisable,
)
from .places import OWN_MODULE, Place
from .programs import Call, Fault, Limits, Mock, Program, Scene, Surroundings
from .rendering import render
from .sandbox import Sandbox, usable_cores
from .starting import packages_elsewhere
from .tiers import Canary, PassedOver, TierReport
from .values import (
    Container,
    Cycle,
    Expression,
    Instance,
    Iterated,
    Member,
    Opaque,
    Scalar,
    Script,
    Told,
    Value,
)

__all__ = [
    "CHOOSE_INTERPRETER",
    "OWN_MODULE",
    "Call",
    "Canary",
    "Container",
    "Covered",
    "Crashed",
    "Cycle",
    "Encoded",
    "Expression",
    "Fault",
    "Instance",
    "InterpreterUnusable",
    "Iterated",
    "Limits",
    "LoadFailed",
    "Member",
    "Mock",
    "NothingHolds",
    "Observation",
    "Opaque",
    "OutOfMemory",
    "OutputExceeded",
    "PassedOver",
    "Place",
    "Program",
    "ProtocolError",
    "Raised",
    "Refused",
    "Returned",
    "Sandbox",
    "SandboxError",
    "SandboxUnavailable",
    "Scalar",
    "Scene",
    "Script",
    "Surroundings",
    "TierReport",
    "Timed",
    "TimedOut",
    "Told",
    "Unserialisable",
    "Value",
    "WorkerLost",
    "decode",
    "encode",
    "packages_elsewhere",
    "render",
    "usable_cores",
]
