"""The contracts and the transactions of the sample chain: one of everything that receiptd must tell apart."""
from sample_chain import TGAS, Panic, call, public_key, signature, transfer

NEAR = 10**24
TOKEN, OLD_TOKEN, DEX = "token.sample.near", "old-token.sample.near", "dex.sample.near"
VAULT, ORACLE = "vault.sample.near", "oracle.sample.near"

ACCOUNTS = ["alice.near", "bob.near", "carol.near", "relayer.near", "sample.near", "temp.sample.near",
            TOKEN, OLD_TOKEN, DEX, VAULT, ORACLE]
BOUNDARIES = ["dex.sample.near", "s"]  # shard 0: a-d, shard 3: dex to r, shard 5: s to z
SHARD_IDS = [0, 3, 5]


def ft_event(context, name, **data):
    context.event("nep141", "1.0.0", name, [{key: str(value) for key, value in data.items()}])


# --- tokens -----------------------------------------------------------------------------------

def ft_transfer(context):
    args = context.args
    if int(args["amount"]) > 10**12:
        raise Panic("Smart contract panicked: The account doesn't have enough balance")
    ft_event(context, "ft_transfer", old_owner_id=context.predecessor, new_owner_id=args["receiver_id"],
             amount=args["amount"])


def ft_transfer_call(context):
    args = context.args
    ft_event(context, "ft_transfer", old_owner_id=context.predecessor, new_owner_id=args["receiver_id"],
             amount=args["amount"])
    notice = context.promise(args["receiver_id"], call("ft_on_transfer", {
        "sender_id": context.predecessor, "amount": args["amount"], "msg": args["msg"]}, gas=100 * TGAS))
    return context.then([notice], context.account, call("ft_resolve_transfer", {
        "sender_id": context.predecessor, "receiver_id": args["receiver_id"], "amount": args["amount"]}))


def ft_resolve_transfer(context):
    args, result = context.args, context.results[0]
    if result is not None and result == b'"0"':
        return ('"%s"' % args["amount"]).encode()
    ft_event(context, "ft_transfer", old_owner_id=args["receiver_id"], new_owner_id=args["sender_id"],
             amount=args["amount"], memo="refund")
    return b'"0"'


def old_ft_transfer_call(context):
    ft_transfer_call(context)  # and nobody looks at the result: the transaction succeeds whatever happens


def old_ft_resolve_transfer(context):
    raise Panic("Smart contract panicked: account %s is not registered" % context.args["sender_id"])


# --- the others -------------------------------------------------------------------------------

def dex_on_transfer(context):
    context.logs.append("deposit of %s from %s" % (context.args["amount"], context.args["sender_id"]))
    return b'"0"'


def vault_on_transfer(context):
    raise Panic("Smart contract panicked: vault is closed for \"%s\"" % context.args["sender_id"])


def withdraw(context):
    context.logs.append("withdraw asked by " + context.predecessor)
    raise Panic("Smart contract panicked: not enough shares")


def say(context):
    context.logs += ["NUL \0 and \"quotes\", a back\\slash and a tab\t", "grüße, 你好 \U0001f600", ""]
    context.logs.append("EVENT_JSON:{\"standard\":\"broken")
    context.event("dex", "2.1.0", "said", None)


def mint(context):
    context.event("nep171", "1.2.0", "nft_mint", [{"owner_id": "carol.near", "token_ids": ["1", "2"]}])
    context.event("nep297-free", "0.1.0", "note", {"text": "zero \0 byte", "big": 2**64 - 1})
    return b"[1,2]"


def quote(context):
    asked = [context.promise(token, call("ft_total_supply", {}, gas=10 * TGAS)) for token in (TOKEN, OLD_TOKEN)]
    return context.then(asked, context.account, call("on_quote", {}, gas=20 * TGAS))


def on_quote(context):
    return str(sum(int(result.strip(b'"')) for result in context.results)).encode()


def request(context):
    waiting = context.promise_yield(call("on_answer", context.raw_args, gas=20 * TGAS))
    STATE["waiting"] = waiting.inputs[0]
    return waiting


def respond(context):
    context.resume(STATE["waiting"], b'{"price":"42"}')


def on_answer(context):
    context.logs.append("answered")
    return context.results[0]


def nothing(_):
    return None


STATE = {}
CONTRACTS = {
    TOKEN: {"ft_transfer": ft_transfer, "ft_transfer_call": ft_transfer_call, "storage_deposit": nothing,
            "ft_resolve_transfer": ft_resolve_transfer, "ft_total_supply": lambda _: b'"1000000000"'},
    OLD_TOKEN: {"ft_transfer_call": old_ft_transfer_call, "ft_resolve_transfer": old_ft_resolve_transfer,
                "ft_total_supply": lambda _: b'"7"'},
    DEX: {"ft_on_transfer": dex_on_transfer, "withdraw": withdraw, "say": say, "mint": mint, "quote": quote,
          "on_quote": on_quote, "store": nothing, "set_limit": withdraw},
    VAULT: {"ft_on_transfer": vault_on_transfer},
    ORACLE: {"request": request, "respond": respond, "on_answer": on_answer},
}


def delegate(sender, receiver, actions, nonce, max_height):
    body = {"sender_id": sender, "receiver_id": receiver, "actions": actions, "nonce": nonce,
            "max_block_height": max_height, "public_key": public_key(sender)}
    return {"Delegate": {"delegate_action": body, "signature": signature("delegate", sender, nonce)}}


def add_key(account, name):
    return {"AddKey": {"public_key": public_key(account + name),
                       "access_key": {"nonce": 0, "permission": "FullAccess"}}}


def token_call(token, receiver, amount, msg="deposit"):
    args = {"receiver_id": receiver, "amount": str(amount), "msg": msg, "memo": None}
    return call("ft_transfer_call", args, gas=300 * TGAS, deposit=1)


def story(first):
    """(height, signer, receiver, actions, InvalidTxError or None), in order."""
    tokens = lambda receiver, amount: call("ft_transfer", {"receiver_id": receiver, "amount": str(amount)}, deposit=1)
    broke = {"NotEnoughBalance": {"signer_id": "carol.near", "balance": "1", "cost": str(10**27)}}
    plan = [
        (1, "alice.near", "bob.near", [transfer(5 * NEAR)]),
        (1, "alice.near", "alice.near", [add_key("alice.near", "laptop")]),
        (2, "alice.near", TOKEN, [tokens("bob.near", 1000)]),
        (3, "alice.near", TOKEN, [token_call(TOKEN, DEX, 2500)]),
        (4, "bob.near", TOKEN, [token_call(TOKEN, VAULT, 70)]),
        (5, "bob.near", OLD_TOKEN, [token_call(OLD_TOKEN, DEX, 11)]),
        (6, "carol.near", DEX, [call("withdraw", {"shares": "9"}, deposit=NEAR)]),
        (7, "carol.near", DEX, [call("store", {"limit": 1}), call("set_limit", {"limit": 2}), transfer(NEAR)]),
        (8, "relayer.near", "alice.near",
         [delegate("alice.near", TOKEN, [tokens("carol.near", 10**15)], 7, first + 200)]),
        (9, "bob.near", ORACLE, [call("request", {"pair": "NEAR/USD"}, gas=100 * TGAS)]),
        (10, "sample.near", "new.sample.near", ["CreateAccount", transfer(2 * NEAR), add_key("new.sample.near", "")]),
        (11, "alice.near", DEX, [call("store", b"\xff\xfe\x00\x01")]),
        (11, "alice.near", DEX, [call("store", b"hello, not JSON")]),
        (13, "alice.near", DEX, [call("store", b"")]),
        (13, "alice.near", DEX, [call("store", b'{"text":"zero \\u0000 inside","half":"\\ud800"}')]),
        (14, "bob.near", DEX, [call("say", {})]),
        (15, "carol.near", "bob.near", [transfer(10**27)], broke),
        (16, "alice.near", "ghost.near", [transfer(3 * NEAR)]),
        (17, "alice.near", "relayer.near", [transfer(NEAR)]),
        (17, "relayer.near", "alice.near",
         [delegate("alice.near", TOKEN, [tokens("bob.near", 5)], 8, first + 200)]),
        (19, "bob.near", DEX, [call("quote", {}, gas=100 * TGAS)]),
        (20, "carol.near", ORACLE, [call("respond", {"price": "42"})]),
        (21, "temp.sample.near", "temp.sample.near", [{"DeleteAccount": {"beneficiary_id": "sample.near"}}]),
        (22, "bob.near", TOKEN, [call("no_such_method", {})]),
        (23, "carol.near", DEX, [call("mint", {"count": 2}, deposit=NEAR // 10)]),
    ]
    people = ["alice.near", "bob.near", "carol.near", "relayer.near"]
    for offset in range(24, 34):  # everyday traffic
        plan.append((offset, people[offset % 4], people[(offset + 1) % 4], [transfer(offset * NEAR // 10)]))
        if offset % 3 == 0:
            plan.append((offset, people[(offset + 2) % 4], TOKEN, [tokens("bob.near", offset)]))
    return [(first + row[0], *row[1:4], row[4] if len(row) > 4 else None) for row in plan]


