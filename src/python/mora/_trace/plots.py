"""Pictures of frames with matplotlib, if it is there. Each draws into axes and returns them."""

MOST_BARS = 20_000  # of a time line; more are not told apart
MOST_NAMES = 12


def axes(ax):
    """`ax`, or the axes of a new figure."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError as missing:
        raise ImportError("plot() needs matplotlib; on Debian: apt-get install python3-matplotlib; mora.charts draws without it",
                          name="matplotlib") from missing
    return pyplot.subplots(constrained_layout=True)[1]  # names of regions may be long


def _labelled(ax, x, y, title=""):
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    if title:
        ax.set_title(title)
    return ax


def messages(frame, ax, **options):
    ax.plot(frame.send_time, frame.bytes, **{"marker": ".", "linestyle": "", **options})
    return _labelled(ax, "sent at [s]", "bytes")


def transfers(frame, ax, **options):
    ax.plot(frame.start_time, frame.bytes, **{"marker": ".", "linestyle": "", **options})
    return _labelled(ax, "started at [s]", "bytes")


def calls(frame, ax, **options):
    """Ranks over time: the longest calls, inner ones in front."""
    import numpy

    shown = numpy.argsort(-numpy.nan_to_num(frame.duration), kind="stable")[:MOST_BARS]
    names = [frame.categories["region"][i] for i in frame.region[shown]]
    colours = {name: f"C{i % 10}" for i, name in enumerate(dict.fromkeys(names))}
    shown = shown[numpy.argsort(frame.depth[shown], kind="stable")]
    ax.barh(frame.loc[shown], numpy.nan_to_num(frame.duration[shown]), left=frame.begin[shown],
            **{"color": [colours[frame.categories["region"][i]] for i in frame.region[shown]], "height": 0.8, **options})
    title = f"the {MOST_BARS:,} longest of {len(frame.enter):,} calls" if len(frame.enter) > MOST_BARS else ""
    return _labelled(ax, "time [s]", "location", title)


def collectives(frame, ax, **options):
    """How long after the first process the last one came."""
    ax.plot(frame.first_enter, frame.last_enter - frame.first_enter, **{"marker": ".", "linestyle": "", **options})
    return _labelled(ax, "first entered at [s]", "last entered after [s]")


def profile(frame, ax, **options):
    rows = slice(0, MOST_NAMES)
    labels = frame.region[rows] if "rank" not in frame else [f"{n} ({r})" for n, r in zip(frame.region[rows], frame["rank"][rows])]
    ax.barh(range(len(labels)), frame.exclusive[rows], **options)
    ax.set_yticks(range(len(labels)))
    ax.set_yticklabels(labels)
    ax.invert_yaxis()
    return _labelled(ax, "exclusive time [s]", "")


def time_profile(frame, ax, **options):
    names = list(frame)[2:]
    shown = [frame[name] for name in names[:MOST_NAMES]]
    if names[MOST_NAMES:]:
        shown.append(sum(frame[name] for name in names[MOST_NAMES:]))
    if shown:
        ax.stackplot(frame.bin_start, *shown, labels=[*names[:MOST_NAMES], "others"][:len(shown)], **options)
        ax.legend(fontsize="small")
    return _labelled(ax, "time [s]", "time of all ranks in the bin [s]")


def message_histogram(frame, ax, **options):
    ax.bar(frame.low, frame.messages, frame.high - frame.low, **{"align": "edge", **options})
    return _labelled(ax, "bytes", "messages")


def comm_matrix(matrix, ax, **options):
    image = ax.imshow(matrix, **options)
    ax.figure.colorbar(image, ax=ax, label=matrix.what)
    return _labelled(ax, "to", "from")
