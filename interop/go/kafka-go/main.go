// segmentio kafka-go: its Writer and Reader, or with `--via conn` its Conn. See ../../README.md for the command line.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	d "headwater/interop/go/dataset"

	kafka "github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/compress"
)

var codecs = map[string]kafka.Compression{"none": 0, "gzip": kafka.Gzip, "snappy": kafka.Snappy, "lz4": kafka.Lz4,
	"zstd": kafka.Zstd}

func main() {
	a := d.Parse()
	actions := map[string]func(d.Args){"produce": produce, "consume": consume, "member": member, "offsets": offsets,
		"admin": admin}
	if a.Via == "conn" {
		actions["produce"], actions["consume"] = connProduce, connConsume
	}
	actions[a.Action](a)
}

func message(i int, baseMs int64) kafka.Message {
	r := d.Of(i, baseMs)
	m := kafka.Message{Key: r.Key, Value: r.Value, Time: time.UnixMilli(r.Timestamp)}
	for _, h := range r.Headers {
		m.Headers = append(m.Headers, kafka.Header{Key: h.Key, Value: h.Value})
	}
	return m
}

func add(digest *d.Digest, m kafka.Message) {
	record := d.Record{Timestamp: m.Time.UnixMilli(), Key: m.Key, Value: m.Value}
	for _, h := range m.Headers {
		record.Headers = append(record.Headers, d.Header{Key: h.Key, Value: h.Value})
	}
	digest.Add(m.Offset, record)
}

func produce(a d.Args) {
	w := &kafka.Writer{Addr: kafka.TCP(a.Bootstrap), Topic: a.Topic, RequiredAcks: kafka.RequireAll, BatchSize: 2000,
		BatchTimeout: 20 * time.Millisecond, Compression: codecs[a.Codec], AllowAutoTopicCreation: true, MaxAttempts: 20}
	for start := 0; start < a.Count; start += 2000 {
		var messages []kafka.Message
		for i := start; i < min(a.Count, start+2000); i++ {
			messages = append(messages, message(i, a.BaseMs))
		}
		d.Check(write(w, messages))
	}
	d.Check(w.Close())
	fmt.Printf("produced=%d\n", a.Count)
}

// write tries again while the topic that the first try creates has no leader yet.
func write(w *kafka.Writer, messages []kafka.Message) error {
	deadline := time.Now().Add(20 * time.Second)
	for {
		err := w.WriteMessages(context.Background(), messages...)
		if !errors.Is(err, kafka.UnknownTopicOrPartition) || time.Now().After(deadline) {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func consume(a d.Args) {
	r := kafka.NewReader(kafka.ReaderConfig{Brokers: []string{a.Bootstrap}, Topic: a.Topic, Partition: 0, MaxBytes: 10e6,
		MaxWait: 200 * time.Millisecond})
	d.Check(r.SetOffset(0))
	digest := d.NewDigest()
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	for digest.Count < a.Count {
		m, err := r.ReadMessage(ctx)
		d.Check(err)
		add(digest, m)
	}
	digest.Print()
}

func dial(a d.Args) *kafka.Conn {
	deadline := time.Now().Add(20 * time.Second)
	for {
		// The first try creates the topic; its leader may take a moment.
		conn, err := kafka.DialLeader(context.Background(), "tcp", a.Bootstrap, a.Topic, 0)
		if err == nil {
			return conn
		}
		if time.Now().After(deadline) {
			d.Check(err)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func connProduce(a d.Args) {
	conn := dial(a)
	d.Check(conn.SetRequiredAcks(-1))
	for start := 0; start < a.Count; start += 500 {
		var messages []kafka.Message
		for i := start; i < min(a.Count, start+500); i++ {
			messages = append(messages, message(i, a.BaseMs))
		}
		var codec compress.Codec
		if a.Codec != "none" {
			codec = codecs[a.Codec].Codec()
		}
		_, _, offset, _, err := conn.WriteCompressedMessagesAt(codec, messages...)
		d.Check(err)
		if offset != int64(start) {
			d.Fail("record %d got offset %d", start, offset)
		}
	}
	d.Check(conn.Close())
	fmt.Printf("produced=%d\n", a.Count)
}

func connConsume(a d.Args) {
	conn := dial(a)
	_, err := conn.Seek(0, kafka.SeekAbsolute)
	d.Check(err)
	digest := d.NewDigest()
	for digest.Count < a.Count {
		d.Check(conn.SetReadDeadline(time.Now().Add(20 * time.Second)))
		batch := conn.ReadBatch(1, 10e6)
		for digest.Count < a.Count {
			m, err := batch.ReadMessage()
			if errors.Is(err, io.EOF) {
				break
			}
			d.Check(err)
			add(digest, m)
		}
		d.Check(batch.Close())
	}
	digest.Print()
}

// member uses ConsumerGroup, which Reader is built on, since a Reader does not tell what it was assigned.
func member(a d.Args) {
	group, err := kafka.NewConsumerGroup(kafka.ConsumerGroupConfig{ID: a.Group, Brokers: []string{a.Bootstrap},
		Topics: []string{a.Topic}, StartOffset: kafka.FirstOffset, SessionTimeout: 6 * time.Second,
		HeartbeatInterval: 500 * time.Millisecond})
	d.Check(err)
	for {
		generation, err := group.Next(context.Background())
		if err != nil {
			continue
		}
		partitions := []int{}
		for _, assignment := range generation.Assignments[a.Topic] {
			partitions = append(partitions, assignment.ID)
		}
		fmt.Println("assigned " + d.Joined(partitions))
		var lock sync.Mutex
		read := map[int]int64{}
		for _, assignment := range generation.Assignments[a.Topic] {
			generation.Start(func(ctx context.Context) {
				r := kafka.NewReader(kafka.ReaderConfig{Brokers: []string{a.Bootstrap}, Topic: a.Topic,
					Partition: assignment.ID, MaxBytes: 10e6, MaxWait: 200 * time.Millisecond})
				defer r.Close()
				d.Check(r.SetOffset(assignment.Offset))
				for {
					m, err := r.ReadMessage(ctx)
					if err != nil {
						return
					}
					lock.Lock()
					read[assignment.ID] = m.Offset + 1
					lock.Unlock()
				}
			})
		}
		generation.Start(func(ctx context.Context) {
			for {
				select {
				case <-ctx.Done():
					return
				case <-time.After(500 * time.Millisecond):
				}
				lock.Lock()
				copied := map[int]int64{}
				for partition, offset := range read {
					copied[partition] = offset
				}
				lock.Unlock()
				if len(copied) > 0 && generation.CommitOffsets(map[string]map[int]int64{a.Topic: copied}) != nil {
					return
				}
			}
		})
	}
}

func offsets(a d.Args) {
	client := &kafka.Client{Addr: kafka.TCP(a.Bootstrap)}
	found := []int64{}
	for _, ms := range a.Times {
		request := kafka.OffsetRequest{Partition: 0, Timestamp: ms}
		answer, err := client.ListOffsets(context.Background(), &kafka.ListOffsetsRequest{
			Topics: map[string][]kafka.OffsetRequest{a.Topic: {request}}})
		d.Check(err)
		p := answer.Topics[a.Topic][0]
		d.Check(p.Error)
		switch ms {
		case -1:
			found = append(found, p.LastOffset)
		case -2:
			found = append(found, p.FirstOffset)
		default:
			for offset := range p.Offsets {
				found = append(found, offset)
			}
		}
	}
	fmt.Println("offsets=" + d.Joined(found))
}

func admin(a d.Args) {
	ctx := context.Background()
	// Metadata is answered from a cache, unless that is short-lived.
	client := &kafka.Client{Addr: kafka.TCP(a.Bootstrap), Transport: &kafka.Transport{MetadataTTL: 100 * time.Millisecond}}
	created, err := client.CreateTopics(ctx, &kafka.CreateTopicsRequest{Topics: []kafka.TopicConfig{{Topic: a.Topic,
		NumPartitions: 3, ReplicationFactor: 1, ConfigEntries: []kafka.ConfigEntry{
			{ConfigName: "retention.ms", ConfigValue: "86400000"}}}}})
	d.Check(err)
	d.Check(created.Errors[a.Topic])
	fmt.Printf("partitions=%d\n", len(topics(client, a.Topic)[0].Partitions))
	retention(client, a.Topic)
	altered, err := client.IncrementalAlterConfigs(ctx, &kafka.IncrementalAlterConfigsRequest{
		Resources: []kafka.IncrementalAlterConfigsRequestResource{{ResourceType: kafka.ResourceTypeTopic,
			ResourceName: a.Topic, Configs: []kafka.IncrementalAlterConfigsRequestConfig{{Name: "retention.ms",
				Value: "3600000", ConfigOperation: kafka.ConfigOperationSet}}}}})
	d.Check(err)
	d.Check(altered.Resources[0].Error)
	d.Settle()
	retention(client, a.Topic)
	deleted, err := client.DeleteTopics(ctx, &kafka.DeleteTopicsRequest{Topics: []string{a.Topic}})
	d.Check(err)
	d.Check(deleted.Errors[a.Topic])
	d.Settle()
	for _, topic := range topics(client) {
		if topic.Name == a.Topic {
			return
		}
	}
	fmt.Println("deleted")
}

func topics(client *kafka.Client, names ...string) []kafka.Topic {
	answer, err := client.Metadata(context.Background(), &kafka.MetadataRequest{Topics: names})
	d.Check(err)
	return answer.Topics
}

func retention(client *kafka.Client, topic string) {
	answer, err := client.DescribeConfigs(context.Background(), &kafka.DescribeConfigsRequest{
		Resources: []kafka.DescribeConfigRequestResource{{ResourceType: kafka.ResourceTypeTopic, ResourceName: topic,
			ConfigNames: []string{"retention.ms"}}}})
	d.Check(err)
	for _, entry := range answer.Resources[0].ConfigEntries {
		fmt.Println(entry.ConfigName + "=" + entry.ConfigValue)
	}
}
