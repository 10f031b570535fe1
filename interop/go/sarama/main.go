// Sarama. See ../../README.md for the command line.
package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	d "headwater/interop/go/dataset"

	"github.com/IBM/sarama"
)

var codecs = map[string]sarama.CompressionCodec{
	"none": sarama.CompressionNone, "gzip": sarama.CompressionGZIP, "snappy": sarama.CompressionSnappy,
	"lz4": sarama.CompressionLZ4, "zstd": sarama.CompressionZSTD,
}

func main() {
	a := d.Parse()
	map[string]func(d.Args){"produce": produce, "consume": consume, "member": member, "offsets": offsets,
		"admin": admin, "transact": transact}[a.Action](a)
}

func config() *sarama.Config {
	c := sarama.NewConfig()
	c.Version = sarama.MaxVersion
	c.Consumer.Offsets.Initial = sarama.OffsetOldest
	c.Producer.Return.Successes = true
	c.Producer.RequiredAcks = sarama.WaitForAll
	c.Producer.Partitioner = sarama.NewManualPartitioner
	c.Producer.Idempotent = true
	c.Producer.Retry.Max = 20
	c.Net.MaxOpenRequests = 1
	return c
}

func produce(a d.Args) {
	c := config()
	c.Producer.Compression = codecs[a.Codec]
	c.Producer.Flush.Messages = 2000
	c.Producer.Flush.Frequency = 20 * time.Millisecond
	producer, err := sarama.NewAsyncProducer([]string{a.Bootstrap}, c)
	d.Check(err)
	done := make(chan bool)
	go func() {
		for i := 0; i < a.Count; {
			select {
			case m := <-producer.Successes():
				if m.Offset != int64(i) {
					d.Fail("record %d got offset %d", i, m.Offset)
				}
				i++
			case e := <-producer.Errors():
				d.Check(e.Err)
			}
		}
		close(done)
	}()
	for i := range a.Count {
		r := d.Of(i, a.BaseMs)
		m := &sarama.ProducerMessage{Topic: a.Topic, Partition: 0, Timestamp: time.UnixMilli(r.Timestamp)}
		if r.Key != nil {
			m.Key = sarama.ByteEncoder(r.Key)
		}
		if r.Value != nil {
			m.Value = sarama.ByteEncoder(r.Value)
		}
		for _, h := range r.Headers {
			m.Headers = append(m.Headers, sarama.RecordHeader{Key: []byte(h.Key), Value: h.Value})
		}
		producer.Input() <- m
	}
	<-done
	d.Check(producer.Close())
	fmt.Printf("produced=%d\n", a.Count)
}

func consume(a d.Args) {
	consumer, err := sarama.NewConsumer([]string{a.Bootstrap}, config())
	d.Check(err)
	partition, err := consumer.ConsumePartition(a.Topic, 0, 0)
	d.Check(err)
	digest := d.NewDigest()
	for digest.Count < a.Count {
		select {
		case m := <-partition.Messages():
			record := d.Record{Timestamp: m.Timestamp.UnixMilli(), Key: m.Key, Value: m.Value}
			for _, h := range m.Headers {
				record.Headers = append(record.Headers, d.Header{Key: string(h.Key), Value: h.Value})
			}
			digest.Add(m.Offset, record)
		case <-time.After(20 * time.Second):
			d.Fail("only %d records", digest.Count)
		}
	}
	digest.Print()
}

type handler struct{ topic string }

func (h handler) Setup(s sarama.ConsumerGroupSession) error {
	fmt.Println("assigned " + d.Joined(s.Claims()[h.topic]))
	return nil
}
func (h handler) Cleanup(sarama.ConsumerGroupSession) error { return nil }
func (h handler) ConsumeClaim(s sarama.ConsumerGroupSession, claim sarama.ConsumerGroupClaim) error {
	for {
		select {
		case m, open := <-claim.Messages():
			if !open {
				return nil
			}
			s.MarkMessage(m, "")
		case <-s.Context().Done():
			return nil
		}
	}
}

func member(a d.Args) {
	c := config()
	c.Consumer.Group.Session.Timeout = 6 * time.Second
	c.Consumer.Group.Heartbeat.Interval = 500 * time.Millisecond
	c.Consumer.Offsets.AutoCommit.Interval = 500 * time.Millisecond
	group, err := sarama.NewConsumerGroup([]string{a.Bootstrap}, a.Group, c)
	d.Check(err)
	for {
		d.Check(group.Consume(context.Background(), []string{a.Topic}, handler{a.Topic}))
	}
}

func offsets(a d.Args) {
	client, err := sarama.NewClient([]string{a.Bootstrap}, config())
	d.Check(err)
	found := []int64{}
	for _, ms := range a.Times {
		offset, err := client.GetOffset(a.Topic, 0, ms)
		d.Check(err)
		found = append(found, offset)
	}
	fmt.Println("offsets=" + d.Joined(found))
}

func admin(a d.Args) {
	adm, err := sarama.NewClusterAdmin([]string{a.Bootstrap}, config())
	d.Check(err)
	day, hour := "86400000", "3600000"
	d.Check(adm.CreateTopic(a.Topic, &sarama.TopicDetail{NumPartitions: 3, ReplicationFactor: 1,
		ConfigEntries: map[string]*string{"retention.ms": &day}}, false))
	topics, err := adm.DescribeTopics([]string{a.Topic})
	d.Check(err)
	fmt.Printf("partitions=%d\n", len(topics[0].Partitions))
	retention(adm, a.Topic)
	d.Check(adm.IncrementalAlterConfig(sarama.TopicResource, a.Topic, map[string]sarama.IncrementalAlterConfigsEntry{
		"retention.ms": {Operation: sarama.IncrementalAlterConfigsOperationSet, Value: &hour}}, false))
	d.Settle()
	retention(adm, a.Topic)
	d.Check(adm.DeleteTopic(a.Topic))
	d.Settle()
	list, err := adm.ListTopics()
	d.Check(err)
	if _, there := list[a.Topic]; !there {
		fmt.Println("deleted")
	}
}

func retention(adm sarama.ClusterAdmin, topic string) {
	entries, err := adm.DescribeConfig(sarama.ConfigResource{Type: sarama.TopicResource, Name: topic})
	d.Check(err)
	for _, e := range entries {
		if e.Name == "retention.ms" {
			fmt.Println("retention.ms=" + e.Value)
		}
	}
}

func transact(a d.Args) {
	c := config()
	c.Producer.Transaction.ID = a.TransactionalID
	producer, err := sarama.NewSyncProducer([]string{a.Bootstrap}, c)
	d.Check(err)
	for _, name := range []string{"aborted", "committed"} {
		d.Check(producer.BeginTxn())
		messages := make([]*sarama.ProducerMessage, a.Count)
		for i := range messages {
			messages[i] = &sarama.ProducerMessage{Topic: a.Topic, Value: sarama.StringEncoder(fmt.Sprintf("%s-%d", name, i))}
		}
		d.Check(producer.SendMessages(messages))
		if name == "aborted" {
			d.Check(producer.AbortTxn())
		} else {
			d.Check(producer.CommitTxn())
		}
	}
	d.Check(producer.Close())
	c = config()
	c.Consumer.IsolationLevel = sarama.ReadCommitted
	consumer, err := sarama.NewConsumer([]string{a.Bootstrap}, c)
	d.Check(err)
	partition, err := consumer.ConsumePartition(a.Topic, 0, 0)
	d.Check(err)
	committed, aborted := 0, 0
	limit := time.After(20 * time.Second)
	for waiting := true; waiting && committed < a.Count; {
		select {
		case m := <-partition.Messages():
			if strings.HasPrefix(string(m.Value), "committed-") {
				committed++
			} else {
				aborted++
			}
		case <-limit:
			waiting = false
		}
	}
	fmt.Printf("committed=%d aborted=%d\n", committed, aborted)
}
