"""The PFC watchdog of a golden device, in times that its system can be told."""

from __future__ import annotations

from roce_lint.design.queues import Wish
from roce_lint.design.refusals import Loc
from roce_lint.intent.schema import WatchdogSchema, WatchdogTimes
from roce_lint.model.qos import PfcWatchdog, WatchdogAction
from roce_lint.nos.offer import Offer, WatchdogOffer

TIMES = ("polling_ms", "detection_ms", "restoration_ms")


def watchdog_of(wish: Wish, offer: Offer, nos: str) -> PfcWatchdog | None:
    """The watchdog of a port; None where none is wanted or nothing is paused."""
    whole = wish.schema.watchdog
    if whole is None:
        return None
    if not wish.paused:
        wish.wanting.add(("watchdog",), "a watchdog of paused queues, and no class is lossless")
        return None
    keys, times = _times(whole, nos)
    made = PfcWatchdog(enabled=True, src=wish.src, at={"": wish.at("watchdog")})
    made.at["enabled"] = wish.at("watchdog")
    for name in TIMES:
        value = getattr(times, name)
        if value is not None:
            _see_that_it_can_be(wish, offer.watchdog, nos, times, name, (*keys, name))
            setattr(made, name, value)
            made.at[name] = wish.at(*keys, name)
    if times.action is not None:
        made.action = WatchdogAction(times.action)
        made.at["action"] = wish.at(*keys, "action")
        if made.action not in offer.watchdog.actions:
            allowed = ", ".join(sorted(each.value for each in offer.watchdog.actions))
            message = f"{nos} knows {allowed}, found {times.action}"
            wish.wanting.add((*keys, "action"), message, f"see {offer.watchdog.source}")
    return made


def _times(whole: WatchdogSchema, nos: str) -> tuple[Loc, WatchdogTimes]:
    own = whole.systems.get(nos)
    return (("watchdog", "systems", nos), own) if own is not None else (("watchdog",), whole)


def _see_that_it_can_be(
    wish: Wish, offer: WatchdogOffer, nos: str, times: WatchdogTimes, name: str, keys: Loc
) -> None:
    value: float = getattr(times, name)
    hint = f"see {offer.source}; watchdog.systems.{nos} says what is otherwise there"
    if name == "detection_ms" and offer.polls is not None:
        if times.polling_ms is None or value % times.polling_ms:
            message = f"{nos} takes whole polling intervals, found {value:g} ms"
            wish.wanting.add(keys, message, hint)
        elif value // times.polling_ms not in offer.polls:
            message = f"{offer.polls.what} of {nos} takes {offer.polls.takes}, found "
            wish.wanting.add(keys, f"{message}{value // times.polling_ms:g}", hint)
        return
    if name == "restoration_ms" and offer.restores_after_poll:
        if value != times.polling_ms:
            message = f"{nos} restores after one polling interval, found {value:g} ms"
            wish.wanting.add(keys, message, hint)
        return
    limit = getattr(offer, name)
    if limit is None:
        wish.wanting.add(keys, f"{nos} cannot be told {name} by what is documented", hint)
    elif value not in limit:
        wish.wanting.add(keys, f"{nos} takes {limit.takes}, found {value:g}", hint)
    if name != "polling_ms" and times.polling_ms is not None and value < times.polling_ms:
        wish.wanting.add(keys, f"is {value:g} ms, less than one polling interval")
