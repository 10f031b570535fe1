import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;

/** Transactions, and Kafka Streams with exactly_once_v2. */
final class ExactlyOnce {
    static void transact(Map<String, String> a) throws Exception {
        int count = Integer.parseInt(a.get("count"));
        Map<String, Object> config = Map.of("bootstrap.servers", a.get("bootstrap"),
                "transactional.id", a.get("transactional-id"), "max.block.ms", "15000");
        try (var producer = new KafkaProducer<>(config, new StringSerializer(), new StringSerializer())) {
            producer.initTransactions();
            for (String name : List.of("aborted", "committed")) {
                producer.beginTransaction();
                for (int i = 0; i < count; i++) {
                    producer.send(new ProducerRecord<>(a.get("topic"), 0, null, name + "-" + i));
                }
                producer.flush();
                if (name.equals("aborted")) {
                    producer.abortTransaction();
                } else {
                    producer.commitTransaction();
                }
            }
        }
        var seen = read(a.get("bootstrap"), a.get("topic"), "committed", count, 20);
        System.out.println("committed=" + seen.getOrDefault("committed", 0) + " aborted=" + seen.getOrDefault("aborted", 0));
    }

    /** Every record of the topic, upper-cased to topic-out; the application is stopped and started again half-way. */
    static void streams(Map<String, String> a) throws Exception {
        String in = a.get("topic");
        String out = in + "-out";
        int count = Integer.parseInt(a.get("count"));
        String bootstrap = a.get("bootstrap");
        Path state = Files.createTempDirectory("interop-streams");
        Properties p = new Properties();
        p.put("application.id", "streams-" + in);
        p.put("bootstrap.servers", bootstrap);
        p.put("processing.guarantee", "exactly_once_v2");
        p.put("state.dir", state.toString());
        p.put("commit.interval.ms", "100");
        p.put("auto.offset.reset", "earliest");
        // Streams does not leave its group when it is closed: the next instance waits for this long.
        p.put("session.timeout.ms", "6000");
        p.put("heartbeat.interval.ms", "1000");
        p.put("default.key.serde", Serdes.StringSerde.class.getName());
        p.put("default.value.serde", Serdes.StringSerde.class.getName());
        var builder = new StreamsBuilder();
        builder.<String, String>stream(in).mapValues(value -> "streamed-" + value).to(out);
        for (int round = 0; round < 2; round++) {
            try (var producer = new KafkaProducer<>(Map.<String, Object>of("bootstrap.servers", bootstrap),
                    new StringSerializer(), new StringSerializer())) {
                for (int i = 0; i < count / 2; i++) {
                    producer.send(new ProducerRecord<>(in, 0, "k", String.valueOf(i)));
                }
            }
            var application = new KafkaStreams(builder.build(), p);
            application.start();
            read(bootstrap, out, "streamed", count / 2 * (round + 1), 30);
            application.close(Duration.ofSeconds(20));
        }
        System.out.println("streamed=" + read(bootstrap, out, "streamed", count + 1, 5).getOrDefault("streamed", 0));
    }

    /** What a read_committed consumer sees, by the first word of the value, until it has seen count of one word. */
    private static Map<String, Integer> read(String bootstrap, String topic, String word, int count, int idleSeconds) {
        var seen = new HashMap<String, Integer>();
        Map<String, Object> config = Map.of("bootstrap.servers", bootstrap, "isolation.level", "read_committed",
                "default.api.timeout.ms", "15000");
        try (var consumer = new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer())) {
            var partition = new TopicPartition(topic, 0);
            consumer.assign(List.of(partition));
            consumer.seek(partition, 0);
            for (int idle = 0; idle < idleSeconds && seen.getOrDefault(word, 0) < count; idle++) {
                for (var record : consumer.poll(Duration.ofSeconds(1))) {
                    seen.merge(record.value().split("-")[0], 1, Integer::sum);
                    idle = 0;
                }
            }
        }
        return seen;
    }
}
