#!/usr/bin/env python3
"""Writes sandbox/sample/: a small chain of our own making in both recorded shapes, JSON-RPC results
(rpc/block, rpc/chunk, rpc/tx) and whole blocks (whole-block). Deterministic: a second run changes nothing."""
import argparse
import json
import pathlib
import shutil

import sample_story
from sample_chain import GAS_PRICE, SampleChain, base58, digest, signature

FIRST, HEIGHTS = 100_000_000, 38
SKIPPED = {FIRST + 12, FIRST + 27}      # no block at these heights
MISSING_CHUNK = {FIRST + 18: 3}         # height -> shard whose chunk is missing
FIRST_TIME = 1_776_000_000_123_456_789  # April 2026
ZERO = base58(bytes(32))
VALIDATORS = ["north.pool.sample", "south.pool.sample", "west.pool.sample"]


def block_time(height):
    return FIRST_TIME + (height - FIRST) * 1_012_345_678


def chunk_header(chain, shard, height, parent):
    return {
        "chunk_hash": digest("chunk", height, shard.id), "prev_block_hash": parent["hash"],
        "outcome_root": digest("outcomes", height, shard.id), "prev_state_root": digest("state", height, shard.id),
        "encoded_merkle_root": digest("encoded", height, shard.id), "encoded_length": 800 + shard.gas_used % 997,
        "height_created": height, "height_included": height, "shard_id": shard.id, "gas_used": shard.gas_used,
        "gas_limit": 10**15, "rent_paid": "0", "validator_reward": "0",
        "balance_burnt": str(shard.gas_used * GAS_PRICE),
        "outgoing_receipts_root": digest("outgoing", height, shard.id), "tx_root": digest("tx root", height, shard.id),
        "validator_proposals": [],
        "congestion_info": {"delayed_receipts_gas": "0", "buffered_receipts_gas": "0", "receipt_bytes": 0,
                            "allowed_shard": chain.shards[0].id},
        "bandwidth_requests": {"V1": {"requests": []}}, "signature": signature("chunk", height, shard.id)}


def block_header(height, parent, ordinal, mask):
    return {
        "height": height, "prev_height": parent["height"], "epoch_id": digest("epoch", 1),
        "next_epoch_id": digest("epoch", 2), "hash": digest("block", height), "prev_hash": parent["hash"],
        "prev_state_root": digest("state", height), "block_body_hash": digest("body", height),
        "chunk_receipts_root": digest("receipts", height), "chunk_headers_root": digest("headers", height),
        "chunk_tx_root": digest("txs", height), "outcome_root": digest("outcomes", height),
        "chunks_included": sum(mask), "challenges_root": ZERO, "timestamp": block_time(height),
        "timestamp_nanosec": str(block_time(height)), "random_value": digest("random", height),
        "validator_proposals": [], "chunk_mask": mask, "gas_price": str(GAS_PRICE), "block_ordinal": ordinal,
        "rent_paid": "0", "validator_reward": "0", "total_supply": "1290000000000000000000000000000000",
        "challenges_result": [], "last_final_block": parent["parent_hash"], "last_ds_final_block": parent["hash"],
        "next_bp_hash": digest("producers", 2), "block_merkle_root": digest("merkle", height),
        "epoch_sync_data_hash": None, "approvals": [signature("approval", height), None],
        "signature": signature("block", height), "latest_protocol_version": 83,
        "chunk_endorsements": [[7]] * len(mask), "shard_split": None}


def state_change(cause, account, height):
    return {"cause": cause, "type": "account_update", "change": {
        "account_id": account, "amount": str(10**25 + height), "locked": "0", "code_hash": ZERO,
        "storage_usage": 182, "storage_paid_at": 0}}


class Recorder:
    """Produces block after block and keeps what a node and a block stream would have told of them."""

    def __init__(self):
        self.chain = SampleChain(FIRST, sample_story.SHARD_IDS, sample_story.BOUNDARIES, sample_story.CONTRACTS,
                                 sample_story.ACCOUNTS)
        self.parent = {"hash": digest("block", FIRST - 1), "height": FIRST - 1,
                       "parent_hash": digest("block", FIRST - 2)}
        self.waiting = sample_story.story(FIRST)  # transactions not yet in a chunk
        self.blocks, self.chunks, self.whole = {}, {}, {}

    def run(self):
        for height in range(FIRST, FIRST + HEIGHTS):
            if height not in SKIPPED:
                self.produce(height)
        assert not self.waiting, "a transaction never came into a chunk"

    def produce(self, height):
        chain = self.chain
        chain.height = height
        new = [MISSING_CHUNK.get(height) != shard.id for shard in chain.shards]
        header = block_header(height, self.parent, 90_000_000 + len(self.blocks), new)
        listed = {}
        for shard, is_new in zip(chain.shards, new):
            if is_new:
                shard.header = chunk_header(chain, shard, height, self.parent)
        for shard, is_new in zip(chain.shards, new):
            listed[shard.id] = chain.list_outgoing(shard) if is_new else []
        author = VALIDATORS[height % len(VALIDATORS)]
        block = {"author": author, "header": header, "chunks": [dict(shard.header) for shard in chain.shards]}
        shards = [self.apply(shard, is_new, listed[shard.id], header, author)
                  for shard, is_new in zip(chain.shards, new)]
        self.blocks[height] = block
        self.whole[height] = {"block": block, "shards": shards}
        self.parent = {"hash": header["hash"], "height": height, "parent_hash": self.parent["hash"]}

    def take_transactions(self, shard, height):
        mine = [row for row in self.waiting if row[0] <= height and self.chain.shard_of(row[1]) is shard]
        self.waiting = [row for row in self.waiting if row not in mine]
        return [self.chain.sign(*row[1:]) for row in mine]

    def apply(self, shard, is_new, listed, header, author):
        result = {"shard_id": shard.id, "chunk": None, "receipt_execution_outcomes": [], "state_changes": []}
        if not is_new:
            return result
        height = header["height"]
        converted, executed = self.chain.apply(shard, self.take_transactions(shard, height), header["hash"])
        self.chunks[shard.header["chunk_hash"]] = {
            "author": author, "header": dict(shard.header), "transactions": [tx for tx, _, _ in converted],
            "receipts": [receipt.json() for receipt in listed]}
        local = [receipt.json() for _, _, receipt in converted if receipt]
        result["chunk"] = {
            "author": author, "header": dict(shard.header), "transactions": [
                {"transaction": tx, "outcome": {"execution_outcome": outcome,
                                                "receipt": receipt.json() if receipt else None}}
                for tx, outcome, receipt in converted],
            "receipts": local + [receipt.json() for receipt in listed]}
        result["receipt_execution_outcomes"] = [
            {"execution_outcome": outcome, "receipt": receipt.json(), "tx_hash": receipt.tx}
            for receipt, outcome in executed]
        for tx, _, _ in converted:
            cause = {"type": "transaction_processing", "tx_hash": tx["hash"]}
            result["state_changes"].append(state_change(cause, tx["signer_id"], height))
        for receipt, _ in executed:
            cause = {"type": "receipt_processing", "receipt_hash": receipt.id}
            result["state_changes"].append(state_change(cause, receipt.receiver, height))
        return result

    def transaction_results(self):
        return {tx_hash: self.transaction_result(**known) for tx_hash, known in self.chain.transactions.items()}

    def transaction_result(self, transaction, outcome):
        outcomes, receipts, order = [], [], list(reversed(outcome["outcome"]["receipt_ids"]))
        while order:  # depth first, in the order of receipt_ids
            receipt_id = order.pop()
            executed = self.chain.outcomes[receipt_id]  # a KeyError: the tree did not end in time
            outcomes.append(executed)
            # Nodes keep no body of a local receipt: it is its transaction's.
            receipt = self.chain.receipts[receipt_id].json()
            local = not receipts and len(outcomes) == 1 and receipt["predecessor_id"] == receipt["receiver_id"]
            receipts += [] if local else [receipt]
            order += reversed(executed["outcome"]["receipt_ids"])
        leaf = outcome
        while "SuccessReceiptId" in leaf["outcome"]["status"]:
            leaf = self.chain.outcomes[leaf["outcome"]["status"]["SuccessReceiptId"]]
        return {"final_execution_status": "FINAL", "status": leaf["outcome"]["status"], "transaction": transaction,
                "transaction_outcome": outcome, "receipts_outcome": outcomes, "receipts": receipts}


def write(folder, files):
    folder.mkdir(parents=True)
    for name, content in files.items():
        text = json.dumps(content, separators=(",", ":"), ensure_ascii=False)
        (folder / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=pathlib.Path, default=root / "sandbox" / "sample")
    out = parser.parse_args().out
    recorder = Recorder()
    recorder.run()
    shutil.rmtree(out, ignore_errors=True)
    write(out / "rpc" / "block", recorder.blocks)
    write(out / "rpc" / "chunk", recorder.chunks)
    write(out / "rpc" / "tx", recorder.transaction_results())
    write(out / "whole-block", recorder.whole)


if __name__ == "__main__":
    main()
