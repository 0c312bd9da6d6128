"""Workflows of the shop: checkout, shipping, stock, customers and reporting."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING

from shop.carriers import Carrier, Parcel
from shop.client import CatalogClient, Product
from shop.customers import ADULT_AGE, CustomerRecord, SignupForm
from shop.errors import IllegalTransition, InsufficientPoints, NoCarrier, OutOfStock
from shop.inventory import StockRepository
from shop.ledger import Ledger
from shop.models import Order, OrderLine
from shop.money import to_cents
from shop.reports import DEFAULT_CHANNEL, SaleRow, SalesSummary
from shop.shipments import TRANSITIONS, Shipment, ShipmentEvent, ShipmentState
from shop.tariffs import (
    BANDS,
    EXTRA_KILO_CENTS,
    FREE_SHIPPING_FROM_CENTS,
    SURCHARGE_PERCENT,
    Zone,
)

if TYPE_CHECKING:
    from shop.access import Permission, Resource, StaffMember


def order_total(order: Order) -> int:
    """Return what the customer pays for an order, in cents.

    The discount, if there is one, is taken off the goods only: it can bring them
    down to zero but never below, and shipping is always charged in full. Rounding
    happens once, on the final amount. An order without lines costs its shipping.
    """
    goods = sum((line.unit_price * line.quantity for line in order.lines), Decimal(0))
    if order.discount is not None:
        goods -= order.discount.amount_off(goods)
    return to_cents(max(goods + order.shipping_fee, Decimal(0)))


def apply_event(shipment: Shipment, event: ShipmentEvent) -> ShipmentState:
    """Move a shipment to the state an event leads to and return that state.

    Any shipment that is not in a final state can be put on hold, and resuming
    brings it back to the state it was in before the hold; holding a shipment that
    is on hold already changes nothing. All other events follow the transition table.
    An event that is not possible raises IllegalTransition and changes nothing.
    """
    state = shipment.state
    if event is ShipmentEvent.HOLD:
        if state.is_final:
            raise IllegalTransition(state, event)
        shipment.held_from = state
        shipment.state = ShipmentState.ON_HOLD
    elif event is ShipmentEvent.RESUME:
        if state is not ShipmentState.ON_HOLD or shipment.held_from is None:
            raise IllegalTransition(state, event)
        shipment.state = shipment.held_from
        shipment.held_from = None
    else:
        target = TRANSITIONS.get((state, event))
        if target is None:
            raise IllegalTransition(state, event)
        shipment.state = target
        shipment.held_from = None
    return shipment.state


def choose_carrier(carriers: Iterable[Carrier], parcel: Parcel) -> Carrier:
    """Return the carrier that moves a parcel for the lowest price.

    Carriers that do not accept the parcel are left out; one that carries it for
    nothing is a valid choice. Among equally cheap carriers the one with the better
    rating wins, and among those the one that comes first. Raises NoCarrier if
    nobody accepts the parcel.
    """
    offers = []
    for carrier in carriers:
        price = carrier.quote(parcel)
        if price is not None:
            offers.append((price, carrier))
    if not offers:
        raise NoCarrier(f"no carrier for {parcel}")
    _, best = min(offers, key=lambda offer: (offer[0], offer[1].rating))
    return best


def register_customer(form: SignupForm, today: date) -> CustomerRecord:
    """Turn a sign-up form into the record of a customer who joins today.

    The e-mail address is stored in lower case. A missing or empty nickname is
    replaced by the part of the stored address before the at sign. Customers count
    as adults from the day of the birthday on which they reach the adult age (for
    29 February this is 1 March in a common year); marketing consent needs both the
    newsletter box and an adult.
    """
    email = form.email.lower()
    age = (today - form.birth_date).days // 365
    is_adult = age >= ADULT_AGE
    return CustomerRecord(
        email=email,
        display_name=form.nickname or email.partition("@")[0],
        is_adult=is_adult,
        marketing_consent=form.newsletter and is_adult,
        joined_on=today,
    )


def collect_products(client: CatalogClient, category: str) -> list[Product]:
    """Return every product of a category, in the order of the catalog.

    Pages are fetched until the end of the listing as the client documents it.
    Archived products are left out, and a product listed more than once (by SKU)
    appears only where it came first. Errors of the client are passed on.
    """
    products: dict[str, Product] = {}
    cursor = None
    while True:
        page = client.list_products(category, cursor)
        if not page.items:
            return list(products.values())
        for product in page.items:
            if not product.archived:
                products.setdefault(product.sku, product)
        cursor = page.next_cursor
        if cursor is None:
            return list(products.values())


def reserve_stock(
    stock: StockRepository, order_id: str, lines: Sequence[OrderLine]
) -> dict[str, int]:
    """Reserve the articles of all lines for an order and return what it holds then.

    Either everything is reserved or nothing: if the lines together ask for more of
    an article than is available, OutOfStock is raised with the combined quantity for
    the first such article, and the stock stays as it was. The same goes for an
    article the stock does not know, which raises UnknownSku.
    """
    for line in lines:
        available = stock.available(line.sku)
        if line.quantity > available:
            raise OutOfStock(line.sku, line.quantity, available)
    for line in lines:
        stock.hold(order_id, line.sku, line.quantity)
    return stock.held_by(order_id)


def summarize_sales(rows: Iterable[SaleRow]) -> SalesSummary:
    """Condense the rows of a sales export into a summary.

    Voided rows are ignored altogether. Returns lower the revenue, both in total and
    of their channel; a row without a channel belongs to the default channel. An order
    that spans several rows counts once. The average is the revenue per order, rounded
    down, and zero if there are no orders.
    """
    orders = 0
    revenue = 0
    by_channel: dict[str, int] = {}
    for row in rows:
        if row.get("voided", False):
            continue
        amount = row["quantity"] * row["unit_cents"]
        channel = row.get("channel", DEFAULT_CHANNEL)
        orders += 1
        revenue += amount
        by_channel[channel] = by_channel.get(channel, 0) + amount
    average = revenue // orders if orders else 0
    return SalesSummary(orders, revenue, average, by_channel)


class PointsLedger(Ledger):
    """Loyalty points of one customer."""

    def redeem(self, points: int, on: date) -> int:
        """Spend points on a day and return the balance of that day afterwards.

        Only points booked up to and including that day can be spent, down to a
        balance of zero. If they do not suffice, InsufficientPoints is raised with the
        balance of that day, and nothing is booked. A number of points below one raises
        ValueError.
        """
        if points < 1:
            raise ValueError("points must be at least 1")
        self.book(-points, on, memo="redeemed")
        balance = self.balance(on)
        if balance < 0:
            raise InsufficientPoints(points, balance + points)
        return balance


def shipping_cost(weight_grams: int, zone: Zone, goods_cents: int) -> int:
    """Return the shipping cost of a parcel in cents.

    The base price is that of the first weight band whose limit the parcel does not
    exceed; beyond the last band, every started extra kilogram is added to the price of
    that band. The surcharge of the zone comes on top, rounded up to a full cent.
    Domestic parcels of any weight are free once the goods reach the free-shipping
    amount. A weight of zero or less raises ValueError.
    """
    if weight_grams <= 0:
        raise ValueError("weight must be positive")
    if zone is Zone.DOMESTIC and goods_cents >= FREE_SHIPPING_FROM_CENTS:
        return 0
    for band in BANDS:
        if weight_grams < band.limit_grams:
            base = band.price_cents
            break
    else:
        heaviest = BANDS[-1]
        extra_kilos = -(-(weight_grams - heaviest.limit_grams) // 1000)
        base = heaviest.price_cents + extra_kilos * EXTRA_KILO_CENTS
    return base - (-base * SURCHARGE_PERCENT[zone] // 100)


def is_allowed(member: StaffMember, resource: Resource, needed: Permission) -> bool:
    """Tell whether a staff member has all of the needed permissions on a resource.

    Suspended members may do nothing. Permissions that are locked on the resource are
    denied to everyone, including its owner; apart from that the owner may do everything.
    Everybody else has their own grants together with those of all their teams on the
    resource.
    """
    if member.suspended:
        return False
    if resource.locked is not None and needed & resource.locked:
        return False
    if member.user_id == resource.owner_id:
        return True
    granted = member.grants
    for team, permissions in resource.team_grants.items():
        if team in member.teams:
            granted |= permissions
    return bool(granted & needed)
