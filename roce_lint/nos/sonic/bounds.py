"""What SONiC refuses: the bounds and words that its documents give."""

from __future__ import annotations

from roce_lint.nos.refusals import Bounds, Words, table

_PAGE = "docs/nos/sonic.md#what-the-device-refuses"

LIMITS = table(
    Bounds("PORT speed", 1, 1600000, _PAGE, "Mb/s"),
    Bounds("PORT mtu", 68, 9216, _PAGE, "bytes"),
    Words("PORT admin_status", ("up", "down"), _PAGE),
    Words("PORT fec", ("rs", "fc", "none", "auto"), _PAGE),
    Words("PORT_QOS_MAP pfc_enable", ("0", "1", "2", "3", "4", "5", "6", "7"), _PAGE),
    Words("PORT_QOS_MAP pfcwd_sw_enable", ("0", "1", "2", "3", "4", "5", "6", "7"), _PAGE),
    Bounds("DSCP_TO_TC_MAP code point", 0, 63, _PAGE),
    Bounds("DSCP_TO_TC_MAP class", 0, 15, _PAGE),
    Words(
        "PFC_WD action",
        ("drop", "forward", "alert"),
        _PAGE,
        instead="the row is not taken: the port is not watched",
    ),
    Bounds("SCHEDULER weight", 1, 100, _PAGE),
    Words("SCHEDULER type", ("DWRR", "WRR", "STRICT"), _PAGE),
    Bounds("BUFFER_PROFILE dynamic_th", -8, 7, _PAGE),
    Words(
        "WRED_PROFILE ecn",
        (
            "ecn_all",
            "ecn_none",
            "ecn_green",
            "ecn_yellow",
            "ecn_red",
            "ecn_green_yellow",
            "ecn_green_red",
            "ecn_yellow_red",
        ),
        _PAGE,
    ),
    Bounds("WRED_PROFILE green_drop_probability", 0, 100, _PAGE, "percent"),
    Bounds("DEFAULT_LOSSLESS_BUFFER_PARAMETER default_dynamic_th", -8, 7, _PAGE),
)
"""By the name of the setting, as the readers call it."""
