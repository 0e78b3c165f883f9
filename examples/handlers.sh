#!/bin/sh
# The handlers of the example templates. `semel work --envelope` gives {"context", "upstream", "item", "index"} on standard
# input, and says in SEMEL_TASK_HANDLER what to do. A real handler hands SEMEL_TASK_EFFECT_KEY on to the bank, so that the
# second attempt of one task charges nothing twice.
set -eu
input=$(cat)
answer() { printf '%s' "$input" | jq -c --arg key "$SEMEL_TASK_EFFECT_KEY" "$1"; }

case $SEMEL_TASK_HANDLER in
  payment_validator) answer '{valid: true, amount: .context.amount}' ;;
  charge_card) answer '{receipt: ("r-" + (.context.payment_id // .context.order_id)), effect_key: $key}' ;;
  book_payment) answer '{booked: .upstream.charge_card.result.receipt}' ;;
  send_receipt) answer '{sent: .upstream.charge_card.result.receipt}' ;;

  reserve_inventory) answer '{reserved: (.context.items | length)}' ;;
  pick_item) answer '{picked: .item.sku, place: .index}' ;;
  wrap_gift) answer '{wrapped: (.upstream.pick.result | length)}' ;;
  ship_order) answer '{parcel: [.upstream.pick.result[].picked], wrapped: (.upstream.wrap.status == "completed")}' ;;

  find_user) answer '{user_id: .context.user_id, wants_mail: (.context.user_id != 0)}' ;;
  send_mail) answer '{sent_to: .upstream.find_user.result.user_id, template: .context.template}' ;;

  list_sections) answer '{sections: ["sales", "stock", "broken"]}' ;;
  collect_section)
    [ "$(printf '%s' "$input" | jq -r .item)" != broken ] || { echo "this section cannot be had" >&2; exit 65; }
    answer '{section: .item, customer: .context.customer_id}'
    ;;
  write_report) answer '{sections: [.upstream.collect.result[] | select(.status == "completed") | .result.section]}' ;;

  *) echo "no handler for $SEMEL_TASK_HANDLER" >&2; exit 65 ;;
esac
