// Checks requests as their receiver would, with the official library of Standard Webhooks: each with every secret, and not with
// another one, nor when a byte of it is another. One word for each request.
import { createRequire } from "node:module";
import { text } from "node:stream/consumers";

const { Webhook } = createRequire(process.env.MODULES + "/")("standardwebhooks");
const { requests, secrets, raw } = JSON.parse(await text(process.stdin));
const keys = [...secrets.map((secret) => new Webhook(secret)), new Webhook(raw, { format: "raw" })];
const stranger = new Webhook("whsec_c3RyYW5nZXJzdHJhbmdlcnN0cmFuZ2Vyc3RyYW5nZXI=");

function verifies(key, body, headers) {
	try {
		key.verify(body, headers);
		return true;
	} catch {
		return false;
	}
}

for (const { headers, body } of requests) {
	const good = keys.every((key) => verifies(key, body, headers));
	const bad =
		verifies(stranger, body, headers) ||
		verifies(keys[0], body + " ", headers) ||
		verifies(keys[0], body, { ...headers, "Webhook-Id": "another" }) ||
		verifies(keys[0], body, { ...headers, "Webhook-Timestamp": String(Number(headers["Webhook-Timestamp"]) - 1) });
	console.log(good && !bad ? "ok" : "wrong");
}
