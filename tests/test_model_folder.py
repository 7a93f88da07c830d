from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from calque.errors import CalqueError, ModelError
from calque.model import ModelFolder, ModelWriter


def write(path: Path, value: int = 1) -> ModelFolder:
    with ModelWriter(path) as writer:
        writer.array("blocks/counts", np.arange(5, dtype=np.int32) * value)
        writer.text("vocabulary/source", "ein\nhaus\n")
        writer.json("settings", {"value": value})
        writer.commit({"seed": value})
    return ModelFolder(path)


def files(path: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in path.iterdir()}


def test_what_was_written_is_read_and_numpy_opens_the_arrays(tmp_path: Path) -> None:
    model = write(tmp_path / "m", 3)
    assert model.array("blocks/counts").tolist() == [0, 3, 6, 9, 12]
    assert model.text("vocabulary/source") == "ein\nhaus\n"
    assert model.json("settings") == {"value": 3}
    assert model.manifest.info == {"seed": 3}
    assert model.names("blocks/") == ["blocks/counts"]
    on_disk = np.load(next((tmp_path / "m").glob("*.npy")))
    assert on_disk.tolist() == [0, 3, 6, 9, 12]
    model.verify()


def test_arrays_are_mapped_and_read_only(tmp_path: Path) -> None:
    array = write(tmp_path / "m").array("blocks/counts")
    assert isinstance(array.base, np.memmap)
    assert not array.flags.writeable


@given(
    hnp.arrays(
        st.sampled_from([np.int32, np.int64, np.float32, np.uint8]),
        hnp.array_shapes(max_dims=3, min_side=0),
    ),
    st.text(),
)
def test_any_array_and_text_round_trips(
    tmp_path_factory: pytest.TempPathFactory, array: np.ndarray, text: str
) -> None:
    path = tmp_path_factory.mktemp("m")
    with ModelWriter(path) as writer:
        writer.array("a", array)
        writer.text("t", text.encode("utf-8", "replace").decode())
        writer.commit({})
    model = ModelFolder(path)
    np.testing.assert_array_equal(model.array("a"), array)
    assert model.array("a").dtype == array.dtype
    assert model.text("t") == text.encode("utf-8", "replace").decode()


def test_a_new_model_replaces_the_old_and_leaves_no_file_of_it(tmp_path: Path) -> None:
    write(tmp_path / "m", 1)
    model = write(tmp_path / "m", 2)
    assert model.json("settings") == {"value": 2}
    names = {file.name for file in (tmp_path / "m").iterdir()}
    assert names == {e.file for e in model.manifest.entries.values()} | {"manifest.json", ".lock"}


def test_the_same_content_gives_the_same_bytes(tmp_path: Path) -> None:
    write(tmp_path / "a")
    write(tmp_path / "b")
    assert files(tmp_path / "a") == files(tmp_path / "b")


@pytest.mark.parametrize("threads", [1, 3])
def test_arrays_written_side_by_side_are_those_written_one_by_one(
    tmp_path: Path, threads: int
) -> None:
    arrays = {f"blocks/{n}": np.arange(1000 * n) for n in range(9, 0, -1)}
    with ModelWriter(tmp_path / "one") as writer:
        for name, array in arrays.items():
            writer.array(name, array)
        writer.commit({})
    with ModelWriter(tmp_path / "side") as writer:
        writer.arrays(arrays, threads)
        writer.commit({})
    assert files(tmp_path / "side") == files(tmp_path / "one")


def test_an_update_keeps_what_it_does_not_replace(tmp_path: Path) -> None:
    write(tmp_path / "m")
    with ModelWriter(tmp_path / "m", update=True) as writer:
        writer.text("weights/tuned", "lm 0.5\n")
        writer.commit({"tuned": True})
    model = ModelFolder(tmp_path / "m")
    assert model.text("weights/tuned") == "lm 0.5\n"
    assert model.text("vocabulary/source") == "ein\nhaus\n"
    assert model.manifest.info == {"seed": 1, "tuned": True}


def test_leaving_without_commit_changes_nothing(tmp_path: Path) -> None:
    write(tmp_path / "m")
    before = files(tmp_path / "m")
    with pytest.raises(RuntimeError), ModelWriter(tmp_path / "m") as writer:
        writer.text("vocabulary/source", "other\n")
        raise RuntimeError
    assert files(tmp_path / "m") == before


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_writer_leaves_the_old_model(tmp_path: Path, how: signal.Signals) -> None:
    path = tmp_path / "m"
    write(path, 7)
    script = textwrap.dedent("""
        import sys, time
        import numpy as np
        from calque.model import ModelWriter
        with ModelWriter(sys.argv[1]) as writer:
            for i in range(10**6):
                writer.array(f"blocks/{i}", np.full(1000, i))
                if i == 3: print("writing", flush=True)
    """)
    process = subprocess.Popen(
        [sys.executable, "-c", script, path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(how)
    process.wait()
    process.stdout.close()
    model = ModelFolder(path)
    model.verify()
    assert model.json("settings") == {"value": 7}
    assert write(path, 8).json("settings") == {"value": 8}
    assert len(list(path.iterdir())) == 5, "what the killed writer left is swept up"


def test_a_kill_at_every_moment_leaves_one_whole_model(tmp_path: Path) -> None:
    path = tmp_path / "m"
    write(path)
    script = textwrap.dedent("""
        import itertools, sys
        from calque.model import ModelWriter
        for i in itertools.count():
            with ModelWriter(sys.argv[1]) as writer:
                writer.text("a", f"{i}")
                writer.text("b", f"{i}")
                writer.commit({"seed": i})
    """)
    for delay in (0.0, 0.003, 0.011, 0.017, 0.029):
        process = subprocess.Popen([sys.executable, "-c", script, path])
        deadline = time.monotonic() + 20
        while ModelFolder(path).manifest.info["seed"] < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(delay)
        process.kill()
        process.wait()
        model = ModelFolder(path)
        assert model.text("a") == model.text("b") == str(model.manifest.info["seed"])
        write(path)


def test_two_writers_do_not_meet(tmp_path: Path) -> None:
    with (
        ModelWriter(tmp_path / "m"),
        pytest.raises(ModelError, match="another process"),
        ModelWriter(tmp_path / "m"),
    ):
        pass


def the_array(path: Path) -> Path:
    return next(path.glob("blocks.counts.*.npy"))


def test_a_truncated_file_is_refused_with_its_name(tmp_path: Path) -> None:
    write(tmp_path / "m")
    victim = the_array(tmp_path / "m")
    os.truncate(victim, victim.stat().st_size - 1)
    with pytest.raises(ModelError, match=f"{victim.name}: has 147 bytes, .* says 148: truncated"):
        ModelFolder(tmp_path / "m")


def test_a_missing_file_is_refused_with_its_name(tmp_path: Path) -> None:
    write(tmp_path / "m")
    victim = the_array(tmp_path / "m")
    victim.unlink()
    with pytest.raises(ModelError, match=f"{victim.name}: missing"):
        ModelFolder(tmp_path / "m")


def test_a_changed_byte_is_found(tmp_path: Path) -> None:
    model = write(tmp_path / "m")
    for name in ("vocabulary/source", "blocks/counts"):
        victim = tmp_path / "m" / model.manifest.entries[name].file
        data = bytearray(victim.read_bytes())
        data[-2] ^= 1
        victim.write_bytes(data)
        with pytest.raises(ModelError, match=f"{victim.name}: the content does not match"):
            model.verify()
    with pytest.raises(ModelError, match="does not match its checksum"):
        model.text("vocabulary/source")
    with pytest.raises(ModelError, match="does not match its checksum"):
        model.array("blocks/counts")


def test_a_foreign_array_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "m")
    victim = the_array(tmp_path / "m")
    victim.write_bytes(b"x" * victim.stat().st_size)
    with pytest.raises(ModelError, match=f"{victim.name}: the content does not match"):
        ModelFolder(tmp_path / "m").array("blocks/counts")


def test_an_array_of_pickled_objects_is_never_loaded(tmp_path: Path) -> None:
    write(tmp_path / "m")
    victim = the_array(tmp_path / "m")
    np.save(victim, np.array([{}], dtype=object), allow_pickle=True)
    os.truncate(victim, 148)
    with pytest.raises(ModelError):
        ModelFolder(tmp_path / "m").array("blocks/counts")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"info": {"seed": 2}}, "the checksum does not match"),
        ({"version": 99}, "format version 99, but this Calque reads version 1"),
        ({"format": "other"}, "the format is 'other'"),
    ],
)
def test_an_edited_manifest_is_refused(
    tmp_path: Path, change: dict[str, object], message: str
) -> None:
    write(tmp_path / "m")
    manifest = tmp_path / "m" / "manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), **change}))
    with pytest.raises(ModelError, match=message):
        ModelFolder(tmp_path / "m")


@given(st.binary(max_size=40))
def test_a_foreign_manifest_is_one_clear_error(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = tmp_path_factory.mktemp("m")
    (path / "manifest.json").write_bytes(content)
    with pytest.raises(ModelError):
        ModelFolder(path)


def test_a_truncated_manifest_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "m")
    manifest = tmp_path / "m" / "manifest.json"
    whole = manifest.read_bytes()
    for size in range(0, len(whole) - 1, 7):
        manifest.write_bytes(whole[:size])
        with pytest.raises(ModelError, match="not a manifest of Calque, or truncated"):
            ModelFolder(tmp_path / "m")


def test_a_folder_with_other_files_is_not_written_into(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(ModelError, match=r"holds other files \(thesis.tex\) and no model"):
        write(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.tex"]


def test_what_updates_a_model_makes_no_folder_for_one_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    for folder in tmp_path, tmp_path / "none":
        writer = ModelWriter(folder, update=True)
        for work in writer.check, writer.__enter__:
            with pytest.raises(ModelError, match="not a model folder"):
                work()
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_model_that_is_not_there_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="not a model folder"):
        ModelFolder(tmp_path / "none")
    with pytest.raises(ModelError, match="no manifest.json in it"):
        ModelFolder(tmp_path)


def test_an_unwritable_place_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(CalqueError, match="cannot be written"):
            write(path)


def test_a_full_disk_is_one_clear_line_and_keeps_the_old_model(tmp_path: Path) -> None:
    path = tmp_path / "m"
    write(path, 5)
    script = textwrap.dedent("""
        import resource, signal, sys
        import numpy as np
        from calque.errors import CalqueError
        from calque.model import ModelWriter
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        try:
            with ModelWriter(sys.argv[1]) as writer:
                writer.array("big", np.zeros(1_000_000))
                writer.commit({})
        except CalqueError as error:
            print(error)
    """)
    command = [sys.executable, "-c", script, str(path)]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "cannot be written: File too large" in out
    assert ModelFolder(path).json("settings") == {"value": 5}
    assert len(list(path.iterdir())) == 5
