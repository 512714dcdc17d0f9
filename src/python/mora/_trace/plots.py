"""Pictures of frames with matplotlib, if it is there. Each draws into axes and returns them."""

MOST_BARS = 20_000  # of a time line; more are not told apart
MOST_NAMES = 12
MOST_COLOURS = 10  # matplotlib's own cycle
MOST_LETTERS = 40  # of a name in a picture
OTHERS = "0.7"


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


def _short(name):
    """The ends of a long name: of C++ the function is at the one, the arguments at the other."""
    rest = MOST_LETTERS - 1
    return name if len(name) <= MOST_LETTERS else f"{name[:rest - rest // 2]}…{name[-(rest // 2):]}"


def _legend(ax):
    ax.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0))  # beside the picture, over nothing of it


def messages(frame, ax, **options):
    ax.plot(frame.send_time, frame.bytes, **{"marker": ".", "linestyle": "", **options})
    return _labelled(ax, "sent at [s]", "bytes")


def transfers(frame, ax, **options):
    ax.plot(frame.start_time, frame.bytes, **{"marker": ".", "linestyle": "", **options})
    return _labelled(ax, "started at [s]", "bytes")


def calls(frame, ax, **options):
    """Ranks over time: the longest calls, inner ones in front. The regions that took most time have colours."""
    import numpy

    duration = numpy.nan_to_num(frame.duration)
    shown = numpy.argsort(-duration, kind="stable")[:MOST_BARS]
    regions, places = numpy.unique(frame.region[shown], return_inverse=True)
    by_time = numpy.argsort(-numpy.bincount(places, numpy.nan_to_num(frame.exclusive)[shown], len(regions)), kind="stable")
    colours = {regions[r]: f"C{i}" for i, r in enumerate(by_time[:MOST_COLOURS])}
    shown = shown[numpy.argsort(frame.depth[shown], kind="stable")]
    ax.barh(frame.loc[shown], duration[shown], left=frame.begin[shown],
            **{"color": [colours.get(region, OTHERS) for region in frame.region[shown]], "height": 0.8, **options})
    if len(shown) and "color" not in options:
        named = [(colour, frame.categories["region"][region]) for region, colour in colours.items()]
        named += [(OTHERS, "others")] if len(regions) > MOST_COLOURS else []
        for colour, name in named:  # bars of no length, for their colour
            ax.barh(frame.loc[shown[:1]], [0], left=frame.begin[shown[:1]], color=colour, label=_short(name))
        _legend(ax)
    title = f"the {MOST_BARS:,} longest of {len(frame.enter):,} calls" if len(frame.enter) > MOST_BARS else ""
    return _labelled(ax, "time [s]", "location", title)


def collectives(frame, ax, **options):
    """How long after the first process the last one came."""
    ax.plot(frame.first_enter, frame.last_enter - frame.first_enter, **{"marker": ".", "linestyle": "", **options})
    return _labelled(ax, "first entered at [s]", "last entered after [s]")


def profile(frame, ax, **options):
    rows = slice(0, MOST_NAMES)
    labels = [_short(name) for name in frame.region[rows]]
    if "rank" in frame:
        labels = [f"{name} ({rank})" for name, rank in zip(labels, frame["rank"][rows])]
    ax.barh(range(len(labels)), frame.exclusive[rows], **options)
    ax.set_yticks(range(len(labels)))
    ax.set_yticklabels(labels)
    ax.invert_yaxis()
    return _labelled(ax, "exclusive time [s]", "")


def time_profile(frame, ax, **options):
    names = list(frame)[2:]
    labels = [_short(name) for name in names[:MOST_COLOURS]]
    shown = [frame[name] for name in names[:MOST_COLOURS]]
    colours = [f"C{i}" for i in range(len(shown))]
    if names[MOST_COLOURS:]:
        labels.append("others")
        shown.append(sum(frame[name] for name in names[MOST_COLOURS:]))
        colours.append(OTHERS)
    if shown:
        ax.stackplot(frame.bin_start, *shown, **{"labels": labels, "colors": colours, **options})
        _legend(ax)
    return _labelled(ax, "time [s]", "time of all ranks in the bin [s]")


def message_histogram(frame, ax, **options):
    ax.bar(frame.low, frame.messages, frame.high - frame.low, **{"align": "edge", **options})
    return _labelled(ax, "bytes", "messages")


def comm_matrix(matrix, ax, **options):
    image = ax.imshow(matrix, **options)
    ax.figure.colorbar(image, ax=ax, label=matrix.what)
    return _labelled(ax, "to", "from")
