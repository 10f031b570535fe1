// franz-go, with its defaults: idempotent, acks=all. See ../../README.md for the command line.
package main

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"time"

	d "headwater/interop/go/dataset"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

var codecs = map[string]kgo.CompressionCodec{
	"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(),
	"lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
}

func main() {
	a := d.Parse()
	map[string]func(d.Args){"produce": produce, "consume": consume, "member": member, "offsets": offsets,
		"admin": admin, "transact": transact}[a.Action](a)
}

func client(a d.Args, options ...kgo.Opt) *kgo.Client {
	cl, err := kgo.NewClient(append(options, kgo.SeedBrokers(a.Bootstrap), kgo.AllowAutoTopicCreation())...)
	d.Check(err)
	return cl
}

func produce(a d.Args) {
	cl := client(a, kgo.ProducerBatchCompression(codecs[a.Codec]), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.UnknownTopicRetries(20))
	defer cl.Close()
	results := make([]*kgo.Record, a.Count)
	for i := range a.Count {
		r := d.Of(i, a.BaseMs)
		record := &kgo.Record{Topic: a.Topic, Partition: 0, Key: r.Key, Value: r.Value,
			Timestamp: time.UnixMilli(r.Timestamp)}
		for _, h := range r.Headers {
			record.Headers = append(record.Headers, kgo.RecordHeader{Key: h.Key, Value: h.Value})
		}
		cl.Produce(context.Background(), record, func(done *kgo.Record, err error) {
			d.Check(err)
			results[i] = done
		})
	}
	d.Check(cl.Flush(context.Background()))
	for i, done := range results {
		if done.Offset != int64(i) {
			d.Fail("record %d got offset %d", i, done.Offset)
		}
	}
	fmt.Printf("produced=%d\n", a.Count)
}

func consume(a d.Args) {
	cl := client(a, kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{a.Topic: {0: kgo.NewOffset().At(0)}}))
	defer cl.Close()
	digest := d.NewDigest()
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	for digest.Count < a.Count {
		fetches := cl.PollFetches(ctx)
		for _, e := range fetches.Errors() {
			d.Check(e.Err)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			if digest.Count == a.Count {
				return
			}
			record := d.Record{Timestamp: r.Timestamp.UnixMilli(), Key: r.Key, Value: r.Value}
			for _, h := range r.Headers {
				record.Headers = append(record.Headers, d.Header{Key: h.Key, Value: h.Value})
			}
			digest.Add(r.Offset, record)
		})
	}
	digest.Print()
}

func member(a d.Args) {
	// A cooperative member is told of what comes and goes, so it keeps the sum.
	owned := map[int32]bool{}
	tell := func() {
		all := []int32{}
		for partition := range owned {
			all = append(all, partition)
		}
		sort.Slice(all, func(i, j int) bool { return all[i] < all[j] })
		fmt.Println("assigned " + d.Joined(all))
	}
	gone := func(_ context.Context, _ *kgo.Client, lost map[string][]int32) {
		for _, partition := range lost[a.Topic] {
			delete(owned, partition)
		}
		tell()
	}
	options := []kgo.Opt{kgo.ConsumerGroup(a.Group), kgo.ConsumeTopics(a.Topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.AutoCommitInterval(500 * time.Millisecond),
		kgo.SessionTimeout(6 * time.Second), kgo.HeartbeatInterval(500 * time.Millisecond),
		kgo.OnPartitionsAssigned(func(_ context.Context, _ *kgo.Client, come map[string][]int32) {
			for _, partition := range come[a.Topic] {
				owned[partition] = true
			}
			tell()
		}), kgo.OnPartitionsRevoked(gone), kgo.OnPartitionsLost(gone)}
	cl := client(a, options...)
	for {
		cl.PollFetches(context.Background())
	}
}

func offsets(a d.Args) {
	adm := kadm.NewClient(client(a))
	found := []int64{}
	for _, ms := range a.Times {
		var answer kadm.ListedOffsets
		var err error
		switch ms {
		case -1:
			answer, err = adm.ListEndOffsets(context.Background(), a.Topic)
		case -2:
			answer, err = adm.ListStartOffsets(context.Background(), a.Topic)
		default:
			answer, err = adm.ListOffsetsAfterMilli(context.Background(), ms, a.Topic)
		}
		d.Check(err)
		offset, _ := answer.Lookup(a.Topic, 0)
		d.Check(offset.Err)
		found = append(found, offset.Offset)
	}
	fmt.Println("offsets=" + d.Joined(found))
}

func admin(a d.Args) {
	ctx := context.Background()
	adm := kadm.NewClient(client(a))
	day, hour := "86400000", "3600000"
	_, err := adm.CreateTopic(ctx, 3, 1, map[string]*string{"retention.ms": &day}, a.Topic)
	d.Check(err)
	topics, err := adm.ListTopics(ctx, a.Topic)
	d.Check(err)
	fmt.Printf("partitions=%d\n", len(topics[a.Topic].Partitions))
	retention(ctx, adm, a.Topic)
	_, err = adm.AlterTopicConfigs(ctx, []kadm.AlterConfig{{Op: kadm.SetConfig, Name: "retention.ms", Value: &hour}}, a.Topic)
	d.Check(err)
	d.Settle()
	retention(ctx, adm, a.Topic)
	_, err = adm.DeleteTopic(ctx, a.Topic)
	d.Check(err)
	d.Settle()
	topics, err = adm.ListTopics(ctx)
	d.Check(err)
	if !topics.Has(a.Topic) {
		fmt.Println("deleted")
	}
}

func retention(ctx context.Context, adm *kadm.Client, topic string) {
	configs, err := adm.DescribeTopicConfigs(ctx, topic)
	d.Check(err)
	for _, c := range configs[0].Configs {
		if c.Key == "retention.ms" {
			fmt.Println("retention.ms=" + c.MaybeValue())
		}
	}
}

func transact(a d.Args) {
	ctx := context.Background()
	cl := client(a, kgo.TransactionalID(a.TransactionalID), kgo.DefaultProduceTopic(a.Topic), kgo.UnknownTopicRetries(20))
	for _, round := range []struct {
		name   string
		commit kgo.TransactionEndTry
	}{{"aborted", kgo.TryAbort}, {"committed", kgo.TryCommit}} {
		d.Check(cl.BeginTransaction())
		for i := range a.Count {
			cl.Produce(ctx, kgo.StringRecord(fmt.Sprintf("%s-%d", round.name, i)), func(_ *kgo.Record, err error) { d.Check(err) })
		}
		d.Check(cl.Flush(ctx))
		d.Check(cl.EndTransaction(ctx, round.commit))
	}
	cl.Close()
	reader := client(a, kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{a.Topic: {0: kgo.NewOffset().At(0)}}))
	committed, aborted := 0, 0
	limit, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	for committed < a.Count && limit.Err() == nil {
		reader.PollFetches(limit).EachRecord(func(r *kgo.Record) {
			if strings.HasPrefix(string(r.Value), "committed-") {
				committed++
			} else {
				aborted++
			}
		})
	}
	fmt.Printf("committed=%d aborted=%d\n", committed, aborted)
}
