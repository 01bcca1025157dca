"""
Kubernetes from source: Debian's tree, two repairs, one binary.

Debian's source package of Kubernetes 1.20.2 holds what upstream released, with
all dependencies under `vendor/`, so the build asks no network. It was written
for Go 1.15 and is compiled with 1.19 here. Two places did not survive that:

* `reflect2` walks Go's maps through the runtime's private layout, which
  changed with Go 1.18; the API server dies in a map's hash. Debian packages the
  repaired 1.0.2.
* The validators of custom resources ask whether a value is nil by comparing two
  `reflect.Value` with `DeepEqual`. From Go 1.16 on every zero scalar is
  equal too, and a resource with `""` or `0` in it is refused as null.

One generated file (`pkg/generated/openapi`) is not in the tree and is made by
the generator that is.
"""

import os
import shutil
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from recipe.children import Children, Outcome
from recipe.failures import CannotPrepare

from assembly.debian import UPSTREAM

HERE = Path(__file__).parent
PACKAGE = "k8s.io/kubernetes"
COMPONENTS = ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet")
REPLACED = ("reflect2", "concurrent")
VALIDATORS = ("k8s.io/kube-openapi/pkg/validation/validate", "github.com/go-openapi/validate")
NIL_BEFORE = "reflect.DeepEqual(reflect.Zero(reflect.TypeOf(data)), reflect.ValueOf(data))"
NIL_AFTER = "isNilReference(reflect.ValueOf(data))"
# What the comparison was true for under Go 1.15: references that one word holds.
NIL_FUNCTION = """package validate

import "reflect"

func isNilReference(value reflect.Value) bool {
	switch value.Kind() {
	case reflect.Chan, reflect.Func, reflect.Map, reflect.Ptr, reflect.UnsafePointer:
		return value.IsNil()
	}
	return false
}
"""
MARK = "+k8s:openapi-gen="
# Trees that hold the mark in tests or in examples, not in types that a server serves.
UNSERVED = (
    "k8s.io/code-generator/",
    "k8s.io/gengo/",
    "k8s.io/kube-openapi/",
    "k8s.io/sample-apiserver/",
    "/testdata/",
)
VERSIONED = ("k8s.io/client-go/pkg/version", "k8s.io/component-base/version")
VERSION = {
    "gitVersion": f"v{UPSTREAM}",
    "gitMajor": UPSTREAM.split(".")[0],
    "gitMinor": UPSTREAM.split(".")[1],
    "gitTreeState": "archive",
    "buildDate": "2021-01-13T00:00:00Z",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Kubernetes:
    """One build, in a folder that is thrown away afterwards."""

    work: Path
    go: Path
    children: Children

    @property
    def tree(self) -> Path:
        """Where Go, without modules, looks for the package."""
        return self.work / "go/src" / PACKAGE

    def build(self, source: Path, into: Path) -> None:
        """Make the binary from Debian's source package, and `pause` beside it."""
        self._unpack(source)
        repair(self.tree, libraries=self.go / "usr/share/gocode/src/github.com/modern-go")
        self._generate()
        home = self.tree / "cmd/kubernetes"
        home.mkdir()
        shutil.copy(HERE / "kubernetes.go", home / "main.go")
        flags = ["-s", "-w"]
        for package in VERSIONED:
            for name, value in VERSION.items():
                flags += ["-X", f"{PACKAGE}/vendor/{package}.{name}={value}"]
        self._go(
            "compile Kubernetes",
            ["build", "-v", "-ldflags", " ".join(flags), "-o", into / "kubernetes"],
            "./cmd/kubernetes",
        )
        pause = self.work / "go/src/pause"
        pause.mkdir()
        shutil.copy(HERE / "pause.go", pause / "main.go")
        self._go("compile pause", ["build", "-ldflags", "-s -w", "-o", into / "pause"], "pause")

    def _unpack(self, source: Path) -> None:
        upstream = source.with_name(f"{source.stem.rsplit('-', 1)[0]}.orig.tar.gz")
        debian = source.with_name(f"{source.stem}.debian.tar.xz")
        self.tree.parent.mkdir(parents=True)
        with tarfile.open(upstream) as archive:
            archive.extractall(self.tree.parent, filter="tar")
        (self.tree.parent / f"kubernetes-{UPSTREAM}").rename(self.tree)
        with tarfile.open(debian) as archive:
            archive.extractall(self.tree, filter="tar")
        patches = self.tree / "debian/patches"
        for name in (patches / "series").read_text(encoding="utf-8").split():
            done = self.children.run(
                f"Debian's patch {name}",
                ["patch", "--silent", "-p1", "-d", self.tree, "-i", patches / name],
            )
            self._require(done, "a patch of Debian's did not apply")

    def _generate(self) -> None:
        generator = self.work / "openapi-gen"
        self._go(
            "compile the generator of openapi",
            ["build", "-o", generator],
            "./vendor/k8s.io/kube-openapi/cmd/openapi-gen",
        )
        inputs = ",".join(sorted({f"{PACKAGE}/{place}" for place in served(self.tree)}))
        output = {
            "--input-dirs": inputs,
            "--output-package": f"{PACKAGE}/pkg/generated/openapi",
            "--output-file-base": "zz_generated.openapi",
            "--output-base": self.work / "go/src",
            "--go-header-file": self.tree / "hack/boilerplate/boilerplate.generatego.txt",
            "--report-filename": self.work / "violations",
        }
        given = [f"{name}={value}" for name, value in output.items()]
        self._require(
            self._with(self._environment()).run(
                "generate openapi", ["env", "-C", self.tree, generator, *given]
            ),
            "the generator of openapi failed",
        )

    def _go(self, title: str, what: Sequence[str | Path], package: str) -> None:
        go = self.go / "usr/lib/go-1.19/bin/go"
        done = self._with(self._environment()).run(
            title,
            ["nice", "env", "-C", self.tree, go, *what, package],
            detail=lambda output: f"{len(output.splitlines())} packages",
        )
        self._require(done, f"Go could not build {package}")

    def _environment(self) -> dict[str, str]:
        temporary = self.work / "tmp"
        temporary.mkdir(exist_ok=True)
        return {
            "PATH": f"{self.go / 'usr/lib/go-1.19/bin'}:{os.environ['PATH']}",
            "HOME": str(self.work),
            "GOROOT": str(self.go / "usr/lib/go-1.19"),
            "GOPATH": str(self.work / "go"),
            "GOCACHE": str(self.work / "cache"),
            "GOTMPDIR": str(temporary),
            # Without modules, Go finds the vendored packages by their folders alone.
            "GO111MODULE": "off",
            "GOFLAGS": "",
            # A binary without the machine's C library runs in any root file system.
            "CGO_ENABLED": "0",
        }

    def _with(self, environment: Mapping[str, str]) -> Children:
        return replace(self.children, environment=environment)

    def _require(self, done: Outcome, message: str) -> None:
        if done.exit_code != 0:
            raise CannotPrepare(
                f"{message} (log: {self.children.log})", remedy="read the end of the log"
            )


def repair(tree: Path, *, libraries: Path) -> None:
    """Make a tree of 2021 work with Go 1.19; `libraries` holds Debian's newer copies."""
    vendor = tree / "vendor"
    for name in REPLACED:
        old = vendor / "github.com/modern-go" / name
        shutil.rmtree(old)
        shutil.copytree(libraries / name, old)
    for package in VALIDATORS:
        path = vendor / package / "type.go"
        text = path.read_text(encoding="utf-8")
        if text.count(NIL_BEFORE) != 1:
            raise CannotPrepare(
                f"{path} does not ask for nil the way it did when this repair was written",
                remedy="compare it with NIL_BEFORE in cluster/assembly/kubernetes.py",
            )
        path.write_text(text.replace(NIL_BEFORE, NIL_AFTER), encoding="utf-8")
        (path.parent / "nil_reference.go").write_text(NIL_FUNCTION, encoding="utf-8")


def served(tree: Path) -> Iterator[str]:
    """Find the packages whose types the API server describes, as paths below the tree."""
    roots = [tree / name for name in ("cmd", "pkg", "plugin")]
    # These are links into `staging`, which a walk does not follow by itself.
    roots += sorted(path for path in (tree / "vendor/k8s.io").iterdir() if path.is_dir())
    for root in roots:
        for folder, _, names in os.walk(root):
            place = f"{Path(folder).relative_to(tree)}/"
            if any(part in place for part in UNSERVED):
                continue
            sources = (Path(folder, n) for n in names if n.endswith(".go"))
            if any(_marked(path) for path in sources if not path.name.endswith("_test.go")):
                yield place.rstrip("/")


def _marked(path: Path) -> bool:
    return MARK in path.read_text(encoding="utf-8", errors="replace")
