import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;

/** What the Java AdminClient does: topics, configs, offsets by time. */
final class Administration {
    static void offsets(Map<String, String> a) throws Exception {
        var partition = new TopicPartition(a.get("topic"), 0);
        var found = new ArrayList<String>();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", a.get("bootstrap")))) {
            for (String time : a.get("times").split(",")) {
                OffsetSpec spec = switch (time) {
                    case "-1" -> OffsetSpec.latest();
                    case "-2" -> OffsetSpec.earliest();
                    default -> OffsetSpec.forTimestamp(Long.parseLong(time));
                };
                found.add(String.valueOf(admin.listOffsets(Map.of(partition, spec)).all().get().get(partition).offset()));
            }
        }
        System.out.println("offsets=" + String.join(",", found));
    }

    static void admin(Map<String, String> a) throws Exception {
        String topic = a.get("topic");
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", a.get("bootstrap")))) {
            var created = new NewTopic(topic, Optional.of(3), Optional.empty()).configs(Map.of("retention.ms", "86400000"));
            admin.createTopics(List.of(created)).all().get();
            int partitions = admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic).partitions().size();
            System.out.println("partitions=" + partitions);
            retention(admin, topic);
            var resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
            Collection<AlterConfigOp> ops = List.of(
                    new AlterConfigOp(new ConfigEntry("retention.ms", "3600000"), AlterConfigOp.OpType.SET));
            admin.incrementalAlterConfigs(Map.of(resource, ops)).all().get();
            retention(admin, topic);
            admin.deleteTopics(List.of(topic)).all().get();
            if (!admin.listTopics().names().get().contains(topic)) {
                System.out.println("deleted");
            }
        }
    }

    private static void retention(Admin admin, String topic) throws Exception {
        var resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        var config = admin.describeConfigs(List.of(resource)).all().get().get(resource);
        System.out.println("retention.ms=" + config.get("retention.ms").value());
    }
}
