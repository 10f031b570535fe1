import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeSet;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** The Java client, with its defaults: idempotent, acks=all. See ../../README.md for the command line. */
public final class Client {
    public static void main(String[] args) throws Exception {
        Map<String, String> a = new HashMap<>();
        for (int i = 1; i + 1 < args.length; i += 2) {
            a.put(args[i].substring(2), args[i + 1]);
        }
        switch (args[0]) {
            case "produce" -> produce(a);
            case "consume" -> consume(a);
            case "member" -> member(a);
            case "offsets" -> Administration.offsets(a);
            case "admin" -> Administration.admin(a);
            case "transact" -> ExactlyOnce.transact(a);
            case "streams" -> ExactlyOnce.streams(a);
            case "share" -> Share.share(a);
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    private static void produce(Map<String, String> a) throws Exception {
        Properties p = new Properties();
        p.put("bootstrap.servers", a.get("bootstrap"));
        p.put("compression.type", a.getOrDefault("codec", "none"));
        p.put("linger.ms", "5");
        int count = Integer.parseInt(a.get("count"));
        long base = Long.parseLong(a.get("base-ms"));
        List<Future<RecordMetadata>> pending = new ArrayList<>(count);
        try (var producer = new KafkaProducer<>(p, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int i = 0; i < count; i++) {
                byte[] key = i % 11 == 5 ? null : bytes("key-" + i % 1000);
                byte[] value = i % 7 == 3 && key != null ? null : bytes("value-" + i + "-" + "x".repeat(i % 64));
                var record = new ProducerRecord<>(a.get("topic"), 0, base + i, key, value);
                record.headers().add("seq", bytes(Integer.toString(i))).add("dup", bytes("a")).add("dup", bytes("b"))
                        .add("empty", new byte[0]).add("none", null);
                pending.add(producer.send(record));
            }
            producer.flush();
        }
        for (int i = 0; i < count; i++) {
            long offset = pending.get(i).get().offset();
            if (offset != i) {
                throw new IllegalStateException("record " + i + " got offset " + offset);
            }
        }
        System.out.println("produced=" + count);
    }

    private static void consume(Map<String, String> a) throws Exception {
        Properties p = new Properties();
        p.put("bootstrap.servers", a.get("bootstrap"));
        p.put("auto.offset.reset", "none");
        int count = Integer.parseInt(a.get("count"));
        MessageDigest sha = MessageDigest.getInstance("SHA-256");
        int seen = 0;
        try (var consumer = new KafkaConsumer<>(p, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            TopicPartition tp = new TopicPartition(a.get("topic"), 0);
            consumer.assign(List.of(tp));
            consumer.seek(tp, 0);
            for (int idle = 0; seen < count && idle < 20; idle++) {
                for (ConsumerRecord<byte[], byte[]> r : consumer.poll(Duration.ofSeconds(1))) {
                    StringBuilder line = new StringBuilder().append(r.offset()).append('|').append(r.timestamp())
                            .append('|').append(text(r.key()))
                            .append('|').append(text(r.value())).append('|');
                    String separator = "";
                    for (Header h : r.headers()) {
                        line.append(separator).append(h.key()).append('=').append(text(h.value()));
                        separator = ";";
                    }
                    sha.update(bytes(line.append('\n').toString()));
                    seen++;
                    idle = 0;
                }
            }
        }
        System.out.println("count=" + seen + " sha256=" + HexFormat.of().formatHex(sha.digest()));
    }

    private static void member(Map<String, String> a) {
        Properties p = new Properties();
        p.put("bootstrap.servers", a.get("bootstrap"));
        p.put("group.id", a.get("group"));
        p.put("auto.offset.reset", "earliest");
        p.put("auto.commit.interval.ms", "500");
        if ("consumer".equals(a.get("protocol"))) {
            p.put("group.protocol", "consumer");
        } else {
            p.put("session.timeout.ms", "6000");
            p.put("heartbeat.interval.ms", "500");
        }
        var consumer = new KafkaConsumer<>(p, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        var owned = new TreeSet<Integer>();
        consumer.subscribe(List.of(a.get("topic")), new ConsumerRebalanceListener() {
            @Override
            public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
                owned.removeAll(partitions.stream().map(TopicPartition::partition).toList());
            }

            @Override
            public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
                owned.addAll(partitions.stream().map(TopicPartition::partition).toList());
                System.out.println("assigned " + owned.stream().map(String::valueOf).collect(Collectors.joining(",")));
                System.out.flush();
            }
        });
        while (true) {
            consumer.poll(Duration.ofMillis(200));
        }
    }

    static byte[] bytes(String s) {
        return s.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] data) {
        return data == null ? "-" : HexFormat.of().formatHex(data);
    }
}
