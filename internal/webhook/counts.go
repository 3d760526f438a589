package webhook

import "time"

// Counts say what has become of the attempts of a source in this process.
type Counts struct {
	Delivered int64         // items that their receiver has
	Failed    int64         // attempts that came to nothing by their receiver
	GivenUp   int64         // items that are not tried any more
	Took      time.Duration // all attempts together
}

// Counts returns those of a source.
func (d *Deliverer) Counts(source string) Counts {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.counts[source]
}

// count counts an attempt. One that this machine has kept from being made is none.
func (d *Deliverer) count(source string, a answer) {
	if a.ours {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	c := d.counts[source]
	if a.ok() {
		c.Delivered++
	} else {
		c.Failed++
	}
	c.Took += a.took
	d.counts[source] = c
}

func (d *Deliverer) countGivenUp(source string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := d.counts[source]
	c.GivenUp++
	d.counts[source] = c
}
