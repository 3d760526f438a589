// Package webhook tells others what happened: it follows a source, and sends what a subscription wants of it
// to an address, signed, in order, until the receiver has it.
//
// # The words
//
// A Source is a sequence of items that only grows, and that somebody else keeps: the record (record.go), its
// checkpoints (checkpoints.go), the log of tasks of a door. Nothing of it is copied, so nothing can be lost
// between two writes. What one subscription wants of a source is a Stream, which is read by position.
//
// A Subscription is a Stream, a Target, and when to try again. Its key is the name of the source and its id.
// What is known of it is one row of the store (store.Webhook), which is made when a process meets it for the
// first time: the position up to which all is settled, whether it is delivered to, and how the delivery stands
// that it is at. What is owed is what the source has behind the position, however much that is: a process
// has one item of a subscription in memory.
//
// A Delivery is the sending of one item to one subscription. Its id (webhook-id) is that of the item, and never
// another one. A subscription is at one delivery at a time, which makes the order. It is settled when the
// receiver has answered with 2xx, or when it is given up.
//
// An Attempt is one request. What comes of it is kept before the next one begins.
//
// A letter (store.Letter) is a delivery that was given up, or that a person wants once more. It has the
// position of the item; the item is read from the source again.
//
// A lease (store.Webhook.Until) gives one process at a time a subscription to deliver to. It is renewed all
// the while. The lease of a process that has ended is taken at once; of one that stands still, when its time
// is up. A term goes with it, which rises whenever somebody else changes the row: what came of a delivery
// is kept only under the term in which the process has read the row. So a process that has lost its lease
// without noticing can move nothing, and what a person changes (pause, resume, redeliver) is seen before the
// next item is sent.
//
// # Who delivers
//
// Processes that live for a while: bridges, run, mcp, and the daemon, each with a Deliverer. They share one state
// directory, and whoever comes first has the lease. The verbs only enlist: a subscription that begins now
// begins when the first process of any kind has read of it. A process that an agent has started, or may
// have, does neither: what it was told of subscriptions may be that agent's words.
//
// # What kill -9 does
//
// Each step stands with what is true when the process dies behind it. The next one to take the lease goes on
// from the row.
//
//	enlist   the row is there, at the position of that moment
//	lease    the row has a holder that has ended, which is no holder
//	read     nothing has changed
//	send     the receiver may have the item, or half of it, and the row does not say so: it is sent
//	         again, with the same id
//	settle   the row says so: the next one is sent. Position, letter and counters change together or not at all
//	fail     the row says how often it failed, and when it is due: the next process waits as this one would
//	release  anybody can take it at once
//
// So an item is delivered at least once, and once more at the most for each process that dies meanwhile. Each subscription
// may have one item on its way: of many that are delivered to at once, as many items may come again.
// The store is opened with Relaxed: after a power cut the row may be some deliveries old, which are sent again.
// No tool waits for the disk because of a delivery.
//
// # What slow and dead receivers do
//
// Each subscription has a goroutine of its own, in the process that has its lease, and waits for its own
// receiver only. Nobody who records waits for any of it. An attempt has a deadline; what a receiver says is
// read up to a bound. A delivery that fails is tried again over a day (schedule.go), and given up then, so that
// one item that a receiver cannot take does not stop all others for ever. A receiver that says when to come
// again (Retry-After) is believed; 410 switches the subscription off.
//
// # What the record hears
//
// A delivery leaves nothing on record: the entry would have to be delivered, too. That one was given up is on
// record (webhook.failed), and so is that a receiver has switched itself off (webhook.disabled), since whoever
// answers for what happened must know who was not told. That a webhook.* entry could not be delivered is not:
// so two receivers that are gone do not tell each other of it for ever.
package webhook
