"""Scores, tables and what a cache holds."""

import asyncio
from urllib.request import urlopen


def rank_scores(scores: list[int]) -> list[int]:
    """Return the rank of every score, in the order of the scores.

    The highest score has rank 1, and equal scores share the same rank. No scores give an empty
    list.

    >>> rank_scores([50, 80, 65])
    [3, 1, 2]
    >>> rank_scores([70, 90, 70])
    [2, 1, 2]
    """
    ordered = sorted(scores, reverse=True)
    return [ordered.index(score) + 1 for score in scores]


async def totals_by_name(pages: list[list[tuple[str, int]]]) -> list[tuple[str, int]]:
    """Add up the amounts of every name over all pages, reading the pages concurrently.

    A page is a list of (name, amount) rows; a name may occur any number of times, on one page
    or on several. Returns one (name, total) pair for each name that occurs, sorted by name, also
    if its total is zero. Names are compared as they are, upper and lower case apart. No rows give
    an empty list. The argument is left as it is.
    """

    async def read(page: list[tuple[str, int]]) -> dict[str, int]:
        await asyncio.sleep(0)
        totals: dict[str, int] = {}
        for name, amount in page:
            totals[name] = totals.get(name, 0) + amount
        return totals

    combined: dict[str, int] = {}
    for totals in await asyncio.gather(*(read(page) for page in pages)):
        for name, total in totals.items():
            combined[name] = combined.get(name, 0) + total
    return sorted(combined.items())


def read_rows(url: str) -> list[list[str]]:
    """Fetch a table of UTF-8 text and return its rows of cells.

    Cells are separated by tabs and lose the blanks around them. Blank lines are left out.
    """
    with urlopen(url) as response:
        lines = response.read().decode("utf-8").splitlines()
        return [[cell.strip() for cell in line.split("\t")] for line in lines if line.strip()]


def drop_expired(expiries: dict[str, int], now: int) -> int:
    """Remove the expired entries of a cache in place and return how many there were.

    `expiries` maps each key to the time at which its entry expires. An entry has expired if that
    time is `now` or earlier. All other entries stay as they are, in the same order.

    >>> drop_expired({"a": 10, "b": 20, "c": 30}, 20)
    2
    """
    expired = [key for key, expiry in expiries.items() if expiry <= now]
    for key in expired:
        del expiries[key]
    return len(expired)


def cached_keys(requests: list[str], capacity: int) -> list[str]:
    """Return the keys that a least-recently-used cache holds after some requests.

    The cache starts empty and serves the requests in order. Every request makes its key the most
    recently used one, whether the key was already in the cache or is added to it. If there are
    then more than `capacity` keys, the least recently used one is dropped. The result starts
    with the least recently used key and ends with the most recently used.

    Raises ValueError if `capacity` is less than 1, whatever the requests.

    >>> cached_keys(["a", "b", "c"], 2)
    ['b', 'c']
    >>> cached_keys(["a", "b", "b"], 2)
    ['a', 'b']
    """
    if capacity < 1:
        raise ValueError("the capacity must be at least 1")
    held: dict[str, bool] = {}
    for key in requests:
        held[key] = True
        if len(held) > capacity:
            del held[next(iter(held))]
    return list(held)
