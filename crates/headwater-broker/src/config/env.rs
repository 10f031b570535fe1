//! Environment variables: which name a key, which belong to Kafka's launch scripts, which to Kubernetes.

/// What a variable's name stands for.
#[derive(Debug, Eq, PartialEq)]
pub(crate) enum Variable {
    /// A key, spelt as its dots, underscores and dashes demand.
    Key(String),
    /// Something that is not ours to judge.
    Foreign,
}

/// Reads a variable's name: after `KAFKA_`, `_` is a dot, `__` an underscore, `___` a dash, letters become small.
pub(crate) fn interpret(name: &str) -> Variable {
    let Some(rest) = name.strip_prefix("KAFKA_") else { return Variable::Foreign };
    if LAUNCHER.contains(&rest) || is_service_link(rest) || rest.is_empty() {
        return Variable::Foreign;
    }
    let mut key = String::with_capacity(rest.len());
    let mut underscores = 0;
    for character in rest.chars().chain(std::iter::once('\0')) {
        if character == '_' {
            underscores += 1;
            continue;
        }
        // Longer runs are read from the left: four underscores are a dash and a dot.
        while underscores > 0 {
            let run = underscores.min(3);
            key.push(['.', '_', '-'][run - 1]);
            underscores -= run;
        }
        if character != '\0' {
            key.push(character.to_ascii_lowercase());
        }
    }
    Variable::Key(key)
}

/// Kubernetes sets `<SERVICE>_PORT_9092_TCP` and the like in every pod beside a service that is called kafka.
fn is_service_link(rest: &str) -> bool {
    rest == "PORT" || rest.starts_with("PORT_") || rest.starts_with("SERVICE_")
}

/// Variables that Kafka's launch scripts and images read, without the prefix.
const LAUNCHER: &[&str] = &[
    "CFG",
    "CFG_DIR",
    "CLASSPATH",
    "CONF",
    "CONF_DIR",
    "CONFIG",
    "DATA",
    "DATA_DIR",
    "DEBUG",
    "DIR",
    "GC_LOG_OPTS",
    "HEAP_OPTS",
    "HOME",
    "JMX_HOSTNAME",
    "JMX_OPTS",
    "JMX_PORT",
    "JVM_PERFORMANCE_OPTS",
    "LOG4J_CMD_OPTS",
    "LOG4J_LOGGERS",
    "LOG4J_OPTS",
    "LOG4J_ROOT_LOGLEVEL",
    "LOGS_DIR",
    "MODE",
    "NATIVE_LOG4J_OPTS",
    "OPTS",
    "TOOLS_LOG4J_LOGLEVEL",
    "USER",
    "VERSION",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, expected: &str) {
        assert_eq!(interpret(name), Variable::Key(expected.to_owned()), "{name}");
    }

    #[test]
    fn maps_underscores_to_dots_underscores_and_dashes() {
        check("KAFKA_LOG_RETENTION_MS", "log.retention.ms");
        check("KAFKA_LISTENER_NAME_MY__LISTENER_X", "listener.name.my_listener.x");
        check("KAFKA_A___B", "a-b");
        check("KAFKA_A____B", "a-.b");
    }

    #[test]
    fn leaves_launcher_and_kubernetes_variables_alone() {
        for name in ["PATH", "KAFKA_HEAP_OPTS", "KAFKA_PORT_9092_TCP_ADDR", "KAFKA_SERVICE_HOST", "KAFKA_"] {
            assert_eq!(interpret(name), Variable::Foreign, "{name}");
        }
    }
}
