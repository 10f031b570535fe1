import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.lang.reflect.Constructor;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.MessageUtil;

/**
 * Kafka's own generated classes as a filter. A line {@code body <name> <version> <hex>} is answered with the hex of
 * what the class of that name writes after reading it, {@code -} when there is no such class or version, or {@code ! <reason>}.
 * A line {@code api <key>} is answered with {@code <lowest> <highest>} and, for each version, the header versions of
 * request and response; with {@code -} when there is no such API.
 *
 * <p>Needs no compiling: {@code java -cp 'libs/*' Codec.java}.
 */
public final class Codec {
    private static final String[] PACKAGES = {
        "org.apache.kafka.common.message.",
        "org.apache.kafka.common.metadata.",
        "org.apache.kafka.coordinator.group.generated.",
        "org.apache.kafka.coordinator.share.generated.",
        "org.apache.kafka.coordinator.transaction.generated.",
        "org.apache.kafka.raft.generated.",
    };

    private final Map<String, Constructor<?>> constructors = new HashMap<>();

    public static void main(String[] args) throws IOException {
        Codec codec = new Codec();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        BufferedWriter out = new BufferedWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String answer;
            try {
                answer = codec.answer(line.split(" ", -1));
            } catch (ReflectiveOperationException | RuntimeException e) {
                answer = ("! " + e).replace('\n', ' ');
            }
            out.write(answer);
            out.newLine();
        }
        out.flush();
    }

    private String answer(String[] words) throws ReflectiveOperationException {
        return switch (words[0]) {
            case "body" -> body(words[1], Short.parseShort(words[2]), HexFormat.of().parseHex(words[3]));
            case "api" -> api(Short.parseShort(words[1]));
            default -> throw new IllegalArgumentException(words[0]);
        };
    }

    private String body(String name, short version, byte[] bytes) throws ReflectiveOperationException {
        Constructor<?> constructor = constructor(name);
        if (constructor == null) {
            return "-";
        }
        Message message = (Message) constructor.newInstance();
        // A key of an internal topic has one version, whatever number its kind goes by.
        short known = name.endsWith("Key") ? message.lowestSupportedVersion() : version;
        if (known < message.lowestSupportedVersion() || known > message.highestSupportedVersion()) {
            return "-";
        }
        ByteBufferAccessor in = new ByteBufferAccessor(ByteBuffer.wrap(bytes));
        message.read(in, known);
        if (in.remaining() != 0) {
            return "! " + in.remaining() + " bytes are left";
        }
        ByteBuffer written = MessageUtil.toByteBufferAccessor(message, known).buffer();
        byte[] copy = new byte[written.remaining()];
        written.get(copy);
        return HexFormat.of().formatHex(copy);
    }

    private static String api(short key) {
        for (ApiMessageType type : ApiMessageType.values()) {
            if (type.apiKey() == key && type.lowestSupportedVersion() <= type.highestSupportedVersion(true)) {
                StringBuilder answer = new StringBuilder();
                answer.append(type.lowestSupportedVersion()).append(' ').append(type.highestSupportedVersion(true));
                for (short v = type.lowestSupportedVersion(); v <= type.highestSupportedVersion(true); v++) {
                    answer.append(' ').append(type.requestHeaderVersion(v));
                    answer.append(' ').append(type.responseHeaderVersion(v));
                }
                return answer.toString();
            }
        }
        return "-";
    }

    private Constructor<?> constructor(String name) throws NoSuchMethodException {
        Constructor<?> known = constructors.get(name);
        if (known != null) {
            return known;
        }
        for (String prefix : PACKAGES) {
            for (String suffix : new String[] {"", "Data"}) {
                try {
                    Constructor<?> found = Class.forName(prefix + name + suffix).getDeclaredConstructor();
                    constructors.put(name, found);
                    return found;
                } catch (ClassNotFoundException e) {
                    // The next package may have it.
                }
            }
        }
        return null;
    }
}
