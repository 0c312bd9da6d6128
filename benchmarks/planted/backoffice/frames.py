"""Numeric and tabular transformations."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd


def min_max_scale(values: npt.ArrayLike, *, axis: int = 0) -> npt.NDArray[np.float64]:
    """Scale values linearly to the range from 0 to 1.

    Parameters
    ----------
    values : array_like
        Finite numbers and NaN, with at least one dimension.
    axis : int, default 0
        The axis along which minimum and maximum are taken. With the default,
        each column of a two-dimensional array is scaled on its own.

    Returns
    -------
    numpy.ndarray
        A new float array of the same shape. NaN is ignored in finding
        minimum and maximum, and stays NaN. Where all numbers are equal they
        become 0. An empty array gives an empty array.

    Examples
    --------
    >>> min_max_scale([2, 4, 3]).tolist()
    [0.0, 1.0, 0.5]
    """
    data = np.array(values, dtype=np.float64)
    if data.size == 0:
        return data
    low = np.fmin.reduce(data, axis=axis, keepdims=True)
    high = np.fmax.reduce(data, axis=axis, keepdims=True)
    span = high - low
    return (data - low) / np.where(span == 0, 1.0, span)


def daily_totals(events: pd.DataFrame, *, time: str, value: str) -> pd.Series:
    """Add up a value by calendar day.

    Parameters
    ----------
    events : pandas.DataFrame
        One row per event, in any order. It is not changed.
    time : str
        Column with the time of the event: naive timestamps, or strings that
        ``pandas.to_datetime`` reads. Events without time are left out.
    value : str
        Column with the number to add up. A missing number counts as 0.

    Returns
    -------
    pandas.Series
        The totals as floats, named like the value column and indexed by
        midnight of each day, from the first to the last day that has an
        event. Days in between without events have a total of 0. Empty if
        there are no events.

    Examples
    --------
    >>> events = pd.DataFrame({"at": ["2024-03-03 08:00", "2024-03-01 23:59"],
    ...                        "sum": [5, 2]})
    >>> daily_totals(events, time="at", value="sum").tolist()
    [2.0, 0.0, 5.0]
    """
    days = pd.to_datetime(events[time]).dt.normalize()
    numbers = events[value].astype(float)
    totals = numbers.groupby(days.to_numpy()).sum()
    if not totals.empty:
        every_day = pd.date_range(totals.index.min(), totals.index.max(), freq="D")
        totals = totals.reindex(every_day, fill_value=0.0)
    return totals.rename(value)


def rank_within(data: pd.DataFrame, *, group: str, by: str) -> pd.Series:
    """Rank the rows of each group by a column, the highest value first.

    Parameters
    ----------
    data : pandas.DataFrame
        The rows. The frame is not changed.
    group : str
        Column with the group of the row, nowhere missing.
    by : str
        Column with the numbers to rank by, nowhere missing.

    Returns
    -------
    pandas.Series
        The ranks as integers, with the index of `data`. The highest value in
        a group has rank 1, and rows with equal values share a rank.

    Examples
    --------
    >>> sales = pd.DataFrame({"shop": ["N", "N", "S"], "sold": [3, 8, 5]})
    >>> rank_within(sales, group="shop", by="sold").tolist()
    [2, 1, 1]
    """
    ranks = data.groupby(group)[by].rank(method="min", ascending=False)
    return ranks.astype(int)


def weighted_mean_by(
    data: pd.DataFrame, *, by: str, value: str, weight: str
) -> pd.Series:
    """Compute the weighted mean of a column for each group.

    Parameters
    ----------
    data : pandas.DataFrame
        The rows. The frame is not changed.
    by : str
        Column with the group of the row, nowhere missing.
    value, weight : str
        Columns with the values and their weights. Weights are not negative.
        Rows in which the value or the weight is missing play no part in the
        means.

    Returns
    -------
    pandas.Series
        The means as floats, indexed by group in ascending order. A group in
        which the weights that play a part add up to 0, or in which there are
        none, has the mean NaN.

    Examples
    --------
    >>> prices = pd.DataFrame({"sku": ["b", "a", "b"], "price": [2.0, 9.0, 5.0],
    ...                        "units": [2, 1, 1]})
    >>> weighted_mean_by(prices, by="sku", value="price", weight="units").to_dict()
    {'a': 9.0, 'b': 3.0}
    """
    groups = data[by]
    weighted = data[value] * data[weight]
    return weighted.groupby(groups).sum() / data[weight].groupby(groups).sum()
