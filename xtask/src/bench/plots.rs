//! Plots as SVG: one pair of bars a row, Headwater's above Apache Kafka's.

use std::path::Path;

use anyhow::{Result, anyhow};
use plotters::prelude::*;

use super::results::Line;

const OURS: RGBColor = RGBColor(0x1f, 0x77, 0xb4);
const THEIRS: RGBColor = RGBColor(0xd6, 0x8a, 0x3c);

/// Height of a row with its two bars, in pixels.
const ROW: u32 = 40;

/// Draws the medians of `lines`.
pub(crate) fn bars(path: &Path, title: &str, unit: &str, lines: &[&Line]) -> Result<()> {
    let rows = u32::try_from(lines.len())?;
    let root = SVGBackend::new(path, (900, 110 + rows * ROW)).into_drawing_area();
    draw(&root, title, unit, lines).map_err(|error| anyhow!("cannot draw {}: {error}", path.display()))?;
    Ok(())
}

fn draw(
    root: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
    title: &str,
    unit: &str,
    lines: &[&Line],
) -> Result<(), Box<dyn std::error::Error>> {
    root.fill(&WHITE)?;
    let most = lines.iter().flat_map(|line| &line.sides).map(|side| side.1).fold(0.0, f64::max).max(1e-9);
    let rows = f64::from(u32::try_from(lines.len())?);
    let mut chart = ChartBuilder::on(root)
        .caption(format!("{title} ({unit})"), ("sans-serif", 20))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(330)
        .build_cartesian_2d(0.0..most * 1.12, 0.0..rows)?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .disable_y_axis()
        .y_labels(0)
        .x_desc(unit)
        .label_style(("sans-serif", 12))
        .axis_desc_style(("sans-serif", 13))
        .draw()?;
    for (index, line) in lines.iter().enumerate() {
        let middle = rows - f64::from(u32::try_from(index)?) - 0.5;
        for (side, low, colour) in [("Headwater", 0.02, OURS), ("Apache Kafka", -0.38, THEIRS)] {
            let Some(found) = line.sides.iter().find(|(broker, ..)| broker == side) else { continue };
            let corners = [(0.0, middle + low), (found.1, middle + low + 0.36)];
            chart.draw_series([Rectangle::new(corners, colour.filled())])?;
            let place = (found.1 + most * 0.01, middle + low + 0.33);
            chart.draw_series([Text::new(format!("{:.1}", found.1), place, ("sans-serif", 11))])?;
        }
        let (x, y) = chart.backend_coord(&(0.0, middle + 0.18));
        root.draw(&Text::new(line.row.clone(), (x - 325, y), ("sans-serif", 12)))?;
    }
    for (index, (side, colour)) in [("Headwater", OURS), ("Apache Kafka", THEIRS)].into_iter().enumerate() {
        let x = 560 + i32::try_from(index)? * 150;
        root.draw(&Rectangle::new([(x, 16), (x + 12, 28)], colour.filled()))?;
        root.draw(&Text::new(side, (x + 18, 16), ("sans-serif", 13)))?;
    }
    root.present()?;
    Ok(())
}
