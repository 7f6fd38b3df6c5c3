"""Files of pictures: mp4, gif, webp and png, each written wholly or not at all."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sarrus.errors import FileError
from sarrus.output import replacing

Picture = NDArray[np.uint8]
"""(height, width, 3)"""

MP4_QUALITY = 20  # constant rate factor of x264: hardly to be told from the original
WEBP_QUALITY = 60
GIF_COLOURS = 160
KINDS = (".mp4", ".gif", ".webp", ".png")


def check_target(path: Path) -> None:
    """Raise where a file of this name could not be written, before the work that fills it."""
    if path.suffix.lower() not in KINDS:
        raise FileError(f"cannot write {path}: the name of a picture or film ends in {', '.join(KINDS)}")
    if not path.resolve().parent.is_dir():
        raise FileError(f"cannot write {path}: there is no folder {path.parent}")
    if path.is_dir():
        raise FileError(f"cannot write {path}: it is a folder")
    if path.suffix.lower() != ".png":
        library(path, "imageio_ffmpeg" if path.suffix.lower() == ".mp4" else "PIL.Image")


def library(path: Path, name: str) -> Any:
    """The package that writes this kind of file."""
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError as fault:
        raise FileError(
            f"cannot write {path}: {name.partition('.')[0]} is missing; pip install 'sarrus[video]'"
        ) from fault


def possible_fps(path: Path, fps: float) -> float:
    """The frames per second nearest to `fps` that the file can hold: gif counts in 1/100 s, webp in ms."""
    ticks = {".gif": 100.0, ".webp": 1000.0}.get(path.suffix.lower())
    if ticks is None or not fps > 0.0:
        return fps
    return ticks / max(2, round(ticks / fps))


def write_film(path: Path, size: tuple[int, int], fps: float, pictures: Iterable[Picture],
               samples: Sequence[Picture] = ()) -> None:  # fmt: skip
    """Writes the pictures as a film; samples: some of them, from which a gif takes its colours."""
    kind = path.suffix.lower()
    with replacing(path) as partial:
        if kind == ".mp4":
            write_mp4(partial, path, size, fps, pictures)
        elif kind == ".gif":
            write_gif(partial, path, fps, pictures, samples)
        else:
            write_webp(partial, path, fps, pictures)


def write_png(path: Path, picture: Picture) -> None:
    """Writes one picture; needs no package."""
    height, width, _ = picture.shape
    # Each line as its difference to the one above: smooth pictures become small.
    above = np.concatenate([np.zeros((1, width, 3), np.uint8), picture[:-1]])
    lines = np.concatenate([np.full((height, 1), 2, np.uint8), (picture - above).reshape(height, -1)], axis=1)

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = zlib.compress(lines.tobytes(), 9)
    with replacing(path) as partial:
        partial.write_bytes(
            b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")
        )


def write_mp4(
    partial: Path, path: Path, size: tuple[int, int], fps: float, pictures: Iterable[Picture]
) -> None:
    """Writes an H.264 film that browsers and office programs play."""
    if size[0] % 2 or size[1] % 2:
        raise FileError(
            f"cannot write {path}: width and height of an mp4 are even numbers, not {size[0]}x{size[1]}"
        )
    ffmpeg = library(path, "imageio_ffmpeg")
    settings = ["-crf", str(MP4_QUALITY), "-preset", "fast", "-movflags", "+faststart"]
    film = ffmpeg.write_frames(
        str(partial), size, fps=fps, codec="libx264", quality=None, macro_block_size=2,
        ffmpeg_log_level="error", output_params=settings,
    )  # fmt: skip
    film.send(None)
    try:
        for picture in pictures:
            film.send(np.ascontiguousarray(picture))
    except OSError as fault:
        raise FileError(f"cannot write {path}: ffmpeg stopped ({fault})") from fault
    finally:
        film.close()


def write_gif(
    partial: Path, path: Path, fps: float, pictures: Iterable[Picture], samples: Sequence[Picture]
) -> None:
    """Writes an endless gif with one palette; pixels that stay are not repeated."""
    image = library(path, "PIL.Image")
    first, pictures = split(pictures)
    palette = image.fromarray(np.concatenate([first, *samples])).quantize(
        GIF_COLOURS, method=image.Quantize.MEDIANCUT, dither=image.Dither.NONE
    )

    def painted(picture: Picture) -> Any:
        return image.fromarray(picture).quantize(palette=palette, dither=image.Dither.NONE)

    save_all(painted, first, pictures, partial, round(1000.0 / fps), {"optimize": True, "disposal": 1})


def write_webp(partial: Path, path: Path, fps: float, pictures: Iterable[Picture]) -> None:
    """Writes an endless animated webp: as an mp4 in a browser's picture, a tenth of a gif."""
    image = library(path, "PIL.Image")
    first, pictures = split(pictures)
    options = {"quality": WEBP_QUALITY, "method": 4, "minimize_size": False, "allow_mixed": False}
    save_all(image.fromarray, first, pictures, partial, round(1000.0 / fps), options)


def save_all(
    painted: Callable[[Picture], Any], first: Picture, rest: Iterable[Picture], partial: Path, duration: int,
    options: dict[str, Any],
) -> None:  # fmt: skip
    """Saves pictures through Pillow as one endless film; duration of each [ms]."""
    painted(first).save(
        partial, save_all=True, append_images=(painted(p) for p in rest), duration=duration, loop=0, **options
    )


def split(pictures: Iterable[Picture]) -> tuple[Picture, Iterator[Picture]]:
    """The first picture and the others."""
    rest = iter(pictures)
    return next(rest), rest
