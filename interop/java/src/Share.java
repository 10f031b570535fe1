import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.StringDeserializer;

/** A share group (KIP-932): two consumers of one partition take every record once between them. */
final class Share {
    static void share(Map<String, String> a) throws Exception {
        int count = Integer.parseInt(a.get("count"));
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", a.get("bootstrap")))) {
            var group = new ConfigResource(ConfigResource.Type.GROUP, a.get("group"));
            var earliest = new AlterConfigOp(new ConfigEntry("share.auto.offset.reset", "earliest"), AlterConfigOp.OpType.SET);
            admin.incrementalAlterConfigs(Map.of(group, List.of(earliest))).all().get();
        }
        Map<String, Object> config = Map.of("bootstrap.servers", a.get("bootstrap"), "group.id", a.get("group"),
                "max.poll.records", "50");
        int seen = 0;
        try (var one = new KafkaShareConsumer<>(config, new StringDeserializer(), new StringDeserializer());
                var two = new KafkaShareConsumer<>(config, new StringDeserializer(), new StringDeserializer())) {
            one.subscribe(List.of(a.get("topic")));
            two.subscribe(List.of(a.get("topic")));
            for (int idle = 0; idle < 30 && seen < count; idle++) {
                for (var consumer : List.of(one, two)) {
                    int records = consumer.poll(Duration.ofMillis(500)).count();
                    seen += records;
                    idle = records > 0 ? 0 : idle;
                }
            }
        }
        System.out.println("shared=" + seen);
    }
}
